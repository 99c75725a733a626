import { type TSchema, Type } from "@sinclair/typebox";
import { withTimeout } from "../../platform/concurrency";
import { json, type Operation, PUBLIC } from "../../platform/operation";

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

/**
 * Answers of checks that cost a question to somebody else, asked once for all who ask at about the same time.
 *
 *   age of the last answer   0 ……… 250 ms …………………… 750 ms ……………
 *                            it     it, and a new one is   the new one is
 *                                   asked for beside       waited for
 *
 * So a flood of questions after the service's health, which anybody may ask, costs the database four questions a second; and while the service
 * is overloaded, whoever asks often does not wait for a turn at the database behind all that overloads it. What ends is told within two seconds.
 */

export type Check = () => boolean | Promise<boolean>;

const RENEW_AFTER_MS = 250;
const GOOD_FOR_MS = 750;
/** A question that takes longer has been answered: no. */
const TIMEOUT_MS = 1_250;

/** The check, remembered; it answers false where it throws, rejects or takes too long. A check that answers without waiting is not remembered. */
export function rememberCheck(check: Check): Check {
	let last: { readonly passed: boolean; readonly at: number } | undefined;
	let asking: Promise<boolean> | undefined;
	const keep = async (answer: Promise<boolean>): Promise<boolean> => {
		const passed = await withTimeout(
			answer.catch(() => false),
			TIMEOUT_MS,
			() => false,
		);
		last = { passed, at: performance.now() };
		asking = undefined;
		return passed;
	};
	const ask = (): boolean | Promise<boolean> => {
		try {
			const answer = check();
			if (typeof answer === "boolean") return answer;
			asking = keep(answer);
			return asking;
		} catch {
			// A check that throws is the very news that it is there to bring; its name is in the answer.
			return false;
		}
	};
	return () => {
		const age = last ? performance.now() - last.at : Number.POSITIVE_INFINITY;
		if (!last || age > GOOD_FOR_MS) return asking ?? ask();
		if (age > RENEW_AFTER_MS && !asking) void ask();
		return last.passed;
	};
}
