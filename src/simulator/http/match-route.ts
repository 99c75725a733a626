import type { Route } from "./call";

/** The environment segments that the authority has: free tests, certification, production. */
export const ENVIRONMENT_SEGMENTS = ["testecf", "certecf", "ecf"] as const;

export type RouteMatch =
	| { readonly found: "route"; readonly route: Route; readonly environment: string }
	| { readonly found: "other-method"; readonly methods: readonly Route["method"][] }
	| { readonly found: "nothing" };

/** Finds the route of a request; letter case does not matter, nor do a slash at the end and a doubled one. */
export function matchRoute(routes: readonly Route[], method: string, path: string): RouteMatch {
	const wanted = path
		.toLowerCase()
		.replace(/\/{2,}/g, "/")
		.replace(/\/$/, "");
	const environment = ENVIRONMENT_SEGMENTS.find((segment) => wanted.startsWith(`/${segment}/`)) ?? "";
	const generic = environment ? `/{env}${wanted.slice(environment.length + 1)}` : wanted;
	const samePath = routes.filter(
		(route) => route.path === generic && (!route.environments || route.environments.includes(environment)),
	);
	const route = samePath.find((candidate) => candidate.method === method);
	if (route) return { found: "route", route, environment };
	return samePath.length > 0
		? { found: "other-method", methods: samePath.map((candidate) => candidate.method) }
		: { found: "nothing" };
}
