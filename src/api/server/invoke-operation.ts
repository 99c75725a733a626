/** Invokes an admitted operation: counts it against its plan, and gives up when the database is silent or the request has waited too long. */
import type { LimitHeaders, Limits } from "../../identity/rate-limits";
import type { DatabaseWatch } from "../../platform/database";
import { type Call, type LimitClass, NEEDS_BOTH, type Operation, readQuery } from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import type { Log } from "../../platform/telemetry";
import type { RequestState } from "./request-state";

export type Invocation = {
	/** Absent: there are no limits. */
	readonly limits?: Pick<Limits, "take" | "count"> | undefined;
	readonly log: Log;
	/** Reports when the database does not answer at all. */
	readonly watch: Pick<DatabaseWatch, "isSilent" | "onSilent">;
	/** Ends requests that have waited too long; absent: after the default time. */
	readonly deadline?: Deadline;
};

/** The returned function throws the operation's problems, those of counted limits, validation-error for the query, and service-unavailable. */
export function createInvoke(deps: Invocation): (call: Call, state: RequestState) => Promise<Response> {
	const waits = { watch: deps.watch, deadline: deps.deadline ?? createDeadline() };
	return (call, state) =>
		answerInTime(waits, call.operation, state, async () => {
			const answer = async (charge?: Call["charge"]) => {
				checkQuery(call);
				return call.operation.handle(charge ? { ...call, charge } : call);
			};
			if (call.operation.chargesLate) {
				return answer(async (calls) => {
					state.limits = deps.limits?.take(call);
					state.limits = (await deps.limits?.count(call, state.limits, calls))?.headers;
				});
			}
			const counted = await deps.limits?.count(call, state.limits);
			if (counted) state.limits = counted.headers;
			return counted?.giveBack ? countCreated(answer, counted.giveBack, state, deps.log) : answer();
		});
}

/** Refuses unknown parameters, which are usually misspelt. Public pages accept them, because other sites append parameters to links. */
function checkQuery(call: Call): void {
	const { key, bearer } = call.operation.credentials;
	if (call.url.search !== "" && (key !== "ignored" || bearer !== "ignored")) readQuery(call);
}

/** Returns the count of a call that created nothing: a refusal, or a replayed answer. If that fails, the window has one count too many. */
async function countCreated(
	answer: () => Promise<Response>,
	giveBack: () => Promise<LimitHeaders | undefined>,
	state: RequestState,
	log: Log,
): Promise<Response> {
	let hasCreated = false;
	try {
		const response = await answer();
		hasCreated = response.status === 201;
		return response;
	} catch (error) {
		// After an internal error something may have been created.
		hasCreated = !(error instanceof Problem) || error.status >= 500;
		throw error;
	} finally {
		if (!hasCreated) {
			state.limits = await giveBack().catch((err: unknown) => {
				log.warn({ event: "limit.refund_failed", err }, "count of a call that created nothing not returned");
				return state.limits;
			});
		}
	}
}

const IN_MEMORY: ReadonlySet<LimitClass | undefined> = new Set<LimitClass>(["lookup", "search", "suggest"]);

/**
 * The operation's answer, or 503 once the request has waited too long or the database is known to be silent, whose own error would never come. The work
 * may still be completed later; a repeat with the same key finds its result. Operations of tenants do not start while the database is silent.
 */
function answerInTime(
	{ watch: { isSilent, onSilent }, deadline }: Pick<Invocation, "watch"> & { readonly deadline: Deadline },
	operation: Operation,
	state: RequestState,
	work: () => Promise<Response>,
): Promise<Response> {
	const databaseSilent = () =>
		new Problem("service-unavailable", {
			detail: msg`The database does not answer.`,
			headers: { "retry-after": "1" },
		});
	if (isSilent() && operation.credentials === NEEDS_BOTH) return Promise.reject(databaseSilent());
	// Look-ups, searches and matches are answered from memory.
	const needsDatabase = !IN_MEMORY.has(operation.limit);
	return new Promise<Response>((resolve, reject) => {
		const forgetSilence = needsDatabase ? onSilent(() => reject(databaseSilent())) : () => undefined;
		const forgetTime = deadline(state, reject);
		const forget = () => {
			forgetSilence();
			forgetTime();
		};
		const answered = work();
		answered.finally(forget).then(resolve, reject);
	});
}

/**
 * Ends requests before the listener would cut their connection without an answer. Statements have time-outs, but a request that waits for a database
 * connection behind others, all of which wait for a lock, has sent no statement yet: the third in such a row would wait for a minute and a half.
 */

/** The listener cuts connections that are silent for a minute, or some seconds less. */
const LIMIT_MS = 50_000;
const CHECK_EVERY_MS = 1_000;

type Waiting = { readonly state: Pick<RequestState, "waitsSince">; readonly giveUp: (error: Problem) => void };

/** Calls `giveUp` once if the request has waited too long since its body was complete. The returned function cancels it. */
export type Deadline = (state: Waiting["state"], giveUp: Waiting["giveUp"]) => () => void;

/** Uses one timer for all requests, since nearly all are answered long before. */
export function createDeadline(limitMs = LIMIT_MS, checkEveryMs = CHECK_EVERY_MS): Deadline {
	const waiting = new Set<Waiting>();
	setInterval(() => {
		const now = performance.now();
		for (const one of waiting) {
			if (one.state.waitsSince === undefined || now - one.state.waitsSince < limitMs) continue;
			waiting.delete(one);
			one.giveUp(tooLate());
		}
	}, checkEveryMs).unref();
	return (state, giveUp) => {
		const one = { state, giveUp };
		waiting.add(one);
		return () => void waiting.delete(one);
	};
}

function tooLate(): Problem {
	return new Problem("service-unavailable", {
		detail: msg`The request waited too long. It may still succeed. Repeat it with the same Idempotency-Key to find out.`,
		headers: { "retry-after": "5" },
	});
}
