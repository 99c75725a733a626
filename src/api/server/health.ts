import { type TSchema, Type } from "@sinclair/typebox";
import { json, type Operation, PUBLIC } from "../../platform/operation";
import { type Check, rememberCheck } from "./remember-check";

/** One named thing that the service needs; answers false, or throws, when it is not there. */
export type Checks = Readonly<Record<string, Check>>;

export type HealthDeps = {
	readonly version: string;
	/** What taking requests needs. */
	readonly checks: Checks;
	/** What the service needs besides: told at `/health`, without keeping requests away. */
	readonly furtherChecks: Checks;
	readonly isDraining: () => boolean;
	readonly startedAt: number;
};

const TAG = "Health";

const Report: TSchema = Type.Object({
	status: Type.String({ description: "ok, unavailable or draining." }),
	version: Type.String(),
	checks: Type.Record(Type.String(), Type.String()),
	uptimeSeconds: Type.Number(),
});

export function healthOperations(deps: HealthDeps): Operation[] {
	const checks = rememberAll(deps.checks);
	const furtherChecks = rememberAll(deps.furtherChecks);
	return [
		{
			id: "livez",
			method: "GET",
			path: "/livez",
			tag: TAG,
			summary: "The process lives",
			description: "Looks at nothing but the process itself.",
			credentials: PUBLIC,
			answers: { 200: { description: "It does.", schema: Type.Object({ status: Type.String() }) } },
			problems: [],
			handle: () => json(200, { status: "ok" }, { "cache-control": "no-store" }),
		},
		{
			id: "readyz",
			method: "GET",
			path: "/readyz",
			tag: TAG,
			summary: "The service can take requests",
			credentials: PUBLIC,
			answers: {
				200: { description: "It can.", schema: Report },
				503: { description: "It cannot; `checks` names why.", schema: Report },
			},
			problems: [],
			handle: () => report(deps, checks),
		},
		{
			id: "health",
			method: "GET",
			path: "/health",
			tag: TAG,
			summary: "Summary of the service's health",
			credentials: PUBLIC,
			answers: {
				200: { description: "All is well.", schema: Report },
				503: { description: "Something is not.", schema: Report },
			},
			problems: [],
			handle: () => report(deps, { ...checks, ...furtherChecks }),
		},
	];
}

function rememberAll(checks: Checks): Checks {
	return Object.fromEntries(Object.entries(checks).map(([name, check]) => [name, rememberCheck(check)]));
}

async function report(deps: HealthDeps, checks: Checks): Promise<Response> {
	const entries = await Promise.all(
		Object.entries(checks).map(async ([name, check]) => [name, (await check()) ? "ok" : "unavailable"] as const),
	);
	const isWell = entries.every(([, result]) => result === "ok");
	const status = deps.isDraining() ? "draining" : isWell ? "ok" : "unavailable";
	const uptimeSeconds = Math.round((performance.now() - deps.startedAt) / 1000);
	const body = { status, version: deps.version, checks: Object.fromEntries(entries), uptimeSeconds };
	return json(status === "ok" ? 200 : 503, body, { "cache-control": "no-store" });
}
