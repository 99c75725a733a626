/**
 * The page that each service publishes about itself: its operations in the environment asked for, and who may call them. Gap: the
 * authority's is a Swagger page; what stands on it beside the operations is not described anywhere.
 */
import { htmlAnswer } from "../http/answer";
import type { Access, Route } from "../http/call";
import { escapeXml } from "../http/to-xml";

const ACCESS: Readonly<Record<Access, string>> = {
	open: "sin autenticación",
	token: "Authorization: Bearer {token}",
	"status-key": "Authorization: Apikey {key}",
	control: "",
};

/** A page for each service of an environment among the routes; pages for people, such as the stamps', have none. */
export function helpRoutes(routes: readonly Route[]): Route[] {
	const services = Map.groupBy(routes, ({ path }) => /^\/\{env\}\/([^/]+)\/(?:api|fe)\//.exec(path)?.[1]);
	return [...services].flatMap(([service, operations]) =>
		service === undefined ? [] : [helpRoute(service, operations)],
	);
}

function helpRoute(service: string, operations: readonly Route[]): Route {
	const everywhere = operations.some(({ environments }) => !environments);
	const environments = new Set(operations.flatMap((operation) => operation.environments ?? []));
	return {
		method: "GET",
		path: `/{env}/${service}/help/index.html`,
		...(everywhere ? {} : { environments: [...environments] }),
		access: "open",
		handle: ({ environment }) => {
			const rows = operations
				.filter((operation) => !operation.environments || operation.environments.includes(environment))
				.map(({ method, path, access }) => {
					const address = escapeXml(path.replace("{env}", environment));
					return `<tr><td>${method}</td><td>${address}</td><td>${ACCESS[access]}</td></tr>`;
				});
			return htmlAnswer(200, `${service} (${environment})`, `<h1>${service}</h1><table>${rows.join("")}</table>`);
		},
	};
}
