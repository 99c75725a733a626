/** Pages for people: a help page for each service, and the pages behind QR codes. */
import { type Answer, escapeXml, htmlAnswer } from "../http/answer";
import type { Access, Call, Route } from "../http/call";
import type { Reception } from "../store";
import type { Context } from "./context";

const ACCESS: Readonly<Record<Access, string>> = {
	open: "sin autenticación",
	token: "Authorization: Bearer {token}",
	"status-key": "Authorization: Apikey {key}",
	control: "",
};

/** A page for each service among the routes; pages for people have none. */
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

export function stampRoutes(context: Context): Route[] {
	const page = (host: Reception["host"], path: string): Route => ({
		method: "GET",
		path,
		access: "open",
		handle: (call) => showStamp(call, host, context),
	});
	return [page("main", "/{env}/consultatimbre"), page("fc", "/{env}/consultatimbrefc")];
}

function showStamp(call: Call, host: Reception["host"], { store }: Context): Answer {
	const number = {
		environment: call.environment,
		rnc: call.query("rncemisor") ?? "",
		encf: (call.query("encf") ?? "").toUpperCase(),
	};
	const known = store.receptions.findVisible({ ...number, now: Date.now() });
	const found = known && known.host === host && isOf(known, call) ? known : undefined;
	if (!found) return page([["e-NCF", number.encf]], "No encontrado");
	const issuer: Line[] = [
		["RNC Emisor", found.rnc],
		["Razón social emisor", found.issuerName],
	];
	const state = found.verdict === 2 ? "Rechazado" : "Aceptado";
	if (host === "fc") return page([...issuer, ["e-NCF", found.encf]], state);
	const rest: Line[] = [
		["RNC Comprador", found.buyerRnc],
		["Razón social comprador", found.buyerName],
		["e-NCF", found.encf],
		["Fecha de emisión", found.issueDate],
		["Total de ITBIS", found.totalItbis],
		["Monto total", found.total],
	];
	return page([...issuer, ...rest], state);
}

/** Everything in the QR code matches the document. */
function isOf(reception: Reception, call: Call): boolean {
	const total = call.query("montototal");
	if (total !== undefined && Number(total) !== Number(reception.total)) return false;
	const stated: [string, string | null][] = [
		["codigoseguridad", reception.securityCode],
		["rnccomprador", reception.buyerRnc],
		["fechaemision", reception.issueDate],
		["fechafirma", reception.signedAt],
	];
	return stated.every(([name, truth]) => {
		const value = call.query(name);
		return value === undefined || value === truth;
	});
}

type Line = readonly [string, string | null];

function page(lines: readonly Line[], state: string): Answer {
	const rows = [...lines, ["Estado", state] as const].map(
		([name, value]) => `<tr><th>${name}</th><td>${escapeXml(value ?? "")}</td></tr>`,
	);
	return htmlAnswer(200, "Consulta timbre electrónico", `<table>${rows.join("")}</table>`);
}
