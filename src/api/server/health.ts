import { type TSchema, Type } from "@sinclair/typebox";
import { withTimeout } from "../../platform/concurrency";
import { json, type Operation, PUBLIC } from "../../platform/operation";

/** Checks by name; a check returns false or throws if what it checks is unavailable, and `degraded` if it works and needs an operator. */
export type Checks = Readonly<Record<string, Check>>;

export type HealthSettings = {
	readonly version: string;
	/** Of the source that the process was made of; null if it is unknown. */
	readonly commit: string | null;
	/** What requests need: `/readyz` and `/health`. */
	readonly checks: Checks;
	/** Further needs: `/health` only, so that they do not settle requests away. */
	readonly furtherChecks: Checks;
	readonly isDraining: () => boolean;
	readonly startedAt: number;
};

export type HealthStatus = "ok" | "degraded" | "unavailable" | "draining";

const TAG = "Health";

const Report: TSchema = Type.Object({
	status: Type.String({
		description: "`ok`, `degraded`, `unavailable` or `draining`. A degraded service handles requests.",
	}),
	version: Type.String(),
	commit: Type.Union([Type.String(), Type.Null()], {
		description: "Commit of the source that the process runs; null if it is unknown.",
	}),
	checks: Type.Record(Type.String(), Type.String()),
	uptimeSeconds: Type.Number(),
});

export function healthOperations(deps: HealthSettings): Operation[] {
	const checks = cacheAll(deps.checks);
	const furtherChecks = cacheAll(deps.furtherChecks);
	return [
		{
			id: "livez",
			sdk: null,
			method: "GET",
			path: "/livez",
			tag: TAG,
			summary: "Check liveness",
			description: "Checks only that the process answers.",
			credentials: PUBLIC,
			answers: { 200: { description: "The process answers.", schema: Type.Object({ status: Type.String() }) } },
			problems: [],
			handle: () => json(200, { status: "ok" }, { "cache-control": "no-store" }),
		},
		{
			id: "readyz",
			sdk: null,
			method: "GET",
			path: "/readyz",
			tag: TAG,
			summary: "Check readiness",
			description:
				"For load balancers: checks what the process needs to handle requests. During shutdown it answers 503.",
			credentials: PUBLIC,
			answers: {
				200: { description: "The service can handle requests.", schema: Report },
				503: { description: "The service cannot handle requests; `checks` lists why.", schema: Report },
			},
			problems: [],
			handle: () => report(deps, checks),
		},
		{
			id: "health",
			sdk: "service.getHealth",
			method: "GET",
			path: "/health",
			tag: TAG,
			summary: "Check health",
			description: "For monitoring: checks what `/readyz` checks, and what a process can do without for a while.",
			credentials: PUBLIC,
			answers: {
				200: { description: "Everything works.", schema: Report },
				503: { description: "Something does not work; `checks` lists what.", schema: Report },
			},
			problems: [],
			handle: () => report(deps, { ...checks, ...furtherChecks }),
		},
	];
}

function cacheAll(checks: Checks): Checks {
	return Object.fromEntries(Object.entries(checks).map(([name, check]) => [name, cacheCheck(check)]));
}

/** The status that `/health` reports, for the status page. */
export function createReadHealth(deps: HealthSettings): () => Promise<HealthStatus> {
	const checks = cacheAll({ ...deps.checks, ...deps.furtherChecks });
	return async () => (await runChecks(deps, checks)).status;
}

async function runChecks(deps: HealthSettings, checks: Checks) {
	const entries = await Promise.all(
		Object.entries(checks).map(async ([name, check]) => [name, toStatus(await check())] as const),
	);
	const worst = (["unavailable", "degraded"] as const).find((one) => entries.some(([, result]) => result === one));
	const status: HealthStatus = deps.isDraining() ? "draining" : (worst ?? "ok");
	return { status, entries };
}

async function report(deps: HealthSettings, checks: Checks): Promise<Response> {
	const { status, entries } = await runChecks(deps, checks);
	const uptimeSeconds = Math.round((performance.now() - deps.startedAt) / 1000);
	const { version, commit } = deps;
	const body = { status, version, commit, checks: Object.fromEntries(entries), uptimeSeconds };
	return json(status === "ok" || status === "degraded" ? 200 : 503, body, { "cache-control": "no-store" });
}

const toStatus = (result: Result) => (result === "degraded" ? result : result ? "ok" : "unavailable");

/**
 * Caches the result of a check that queries something else, and shares it between requests that come at about the same time.
 *
 *   age of the result   0 ……… 250 ms …………………… 750 ms ……………
 *                       use   use it, and run    run the check
 *                             the check as well  and wait
 *
 * So a flood of health checks, which anyone may send, costs the database four queries a second. While the service is overloaded, frequent health checks
 * do not wait for the database behind all that overloads it. A failure shows within two seconds.
 */

type Result = boolean | "degraded";
export type Check = () => Result | Promise<Result>;

const RENEW_AFTER_MS = 250;
const GOOD_FOR_MS = 750;
/** A check that takes longer has failed. */
const TIMEOUT_MS = 1_250;

/** The cached check returns false if the check throws, rejects or takes too long. A check that returns a boolean at once is not cached. */
export function cacheCheck(check: Check): Check {
	let last: { readonly passed: Result; readonly at: number } | undefined;
	let pending: Promise<Result> | undefined;
	const settle = async (answer: Promise<Result>): Promise<Result> => {
		const passed = await withTimeout(
			answer.catch(() => false),
			TIMEOUT_MS,
			() => false,
		);
		last = { passed, at: performance.now() };
		pending = undefined;
		return passed;
	};
	const run = (): Result | Promise<Result> => {
		try {
			const answer = check();
			if (!(answer instanceof Promise)) return answer;
			pending = settle(answer);
			return pending;
		} catch {
			// A failure is a result like any other; the answer has the name of the check.
			return false;
		}
	};
	return () => {
		const age = last ? performance.now() - last.at : Number.POSITIVE_INFINITY;
		if (!last || age > GOOD_FOR_MS) return pending ?? run();
		if (age > RENEW_AFTER_MS && !pending) void run();
		return last.passed;
	};
}
