/** What the framework is given to route: coarser than the operations' paths, for it reads `:` as the start of a parameter. */
import { isPeerPath, type Operation } from "../../platform/operation";

/** The framework compares letter by letter; which operation a peer's path means is decided by the table. */
const PEER_ROUTES = ["/fe/*", "/Fe/*", "/fE/*", "/FE/*"] as const;

/**
 * Method and coarse path of each route, once: segments with a parameter or a colon become parameters named by place, and paths of peers are
 * taken in any spelling.
 */
export function frameworkRoutes(operations: readonly Pick<Operation, "method" | "path">[]): [string, string][] {
	const routes = new Map<string, [string, string]>();
	for (const { method, path } of operations) {
		for (const route of isPeerPath(path) ? PEER_ROUTES : [coarsen(path)]) {
			routes.set(`${method} ${route}`, [method, route]);
		}
	}
	return [...routes.values()];
}

function coarsen(path: string): string {
	return path
		.split("/")
		.map((segment, i) => (segment.includes("{") || segment.includes(":") ? `:p${i}` : segment))
		.join("/");
}
