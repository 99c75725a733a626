/** Handles a call that was let in: counts it where its plan counts, and waits neither for a database that is silent nor for ever. */
import type { LimitHeaders, Limits } from "../../identity/rate-limits";
import type { DatabaseWatch } from "../../platform/database";
import { type Call, NEEDS_BOTH, type Operation, readQuery } from "../../platform/operation";
import { Problem } from "../../platform/problem";
import type { Log } from "../../platform/telemetry";
import type { RequestState } from "./request-state";

export type HandleDeps = {
	/** Absent: nobody is limited. */
	readonly limits?: Pick<Limits, "take" | "count"> | undefined;
	readonly log: Log;
	/** Tells when the database answers nothing at all. */
	readonly watch: Pick<DatabaseWatch, "isSilent" | "onSilent">;
	/** Tells who has waited for too long; absent: with the usual patience. */
	readonly inTime?: InTime;
};

/** The function throws the operation's own problems, those of what is counted, validation-error for its query, service-unavailable. */
export function createHandleCall(deps: HandleDeps): (call: Call, state: RequestState) => Promise<Response> {
	const waits = { watch: deps.watch, inTime: deps.inTime ?? createInTime() };
	return (call, state) =>
		unlessKeptWaiting(waits, call.operation, state, async () => {
			const answer = async (charge?: () => Promise<void>) => {
				checkQuery(call);
				return call.operation.handle(charge ? { ...call, charge } : call);
			};
			if (call.operation.chargesLate) {
				return answer(async () => {
					state.limits = deps.limits?.take(call);
					state.limits = (await deps.limits?.count(call, state.limits))?.headers;
				});
			}
			const counted = await deps.limits?.count(call, state.limits);
			if (counted) state.limits = counted.headers;
			return counted?.giveBack ? unlessMade(answer, counted.giveBack, state, deps.log) : answer();
		});
}

/** A parameter that an operation does not know is a misspelt one; pages for anybody are opened with whatever others append to addresses. */
function checkQuery(call: Call): void {
	const { key, bearer } = call.operation.credentials;
	if (call.url.search !== "" && (key !== "ignored" || bearer !== "ignored")) readQuery(call);
}

/** A refusal, and the repeat of an answer, have made nothing. A count that cannot be given back is one too many for its window. */
async function unlessMade(
	answer: () => Promise<Response>,
	giveBack: () => Promise<LimitHeaders | undefined>,
	state: RequestState,
	log: Log,
): Promise<Response> {
	let isMade = false;
	try {
		const response = await answer();
		isMade = response.status === 201;
		return response;
	} catch (error) {
		// What broke on our side may have been made before.
		isMade = !(error instanceof Problem) || error.status >= 500;
		throw error;
	} finally {
		if (!isMade) {
			state.limits = await giveBack().catch((err: unknown) => {
				log.warn({ err }, "a call that made nothing stays counted");
				return state.limits;
			});
		}
	}
}

/**
 * The operation's answer, or 503 once it has been waited for too long, or as soon as the database is known to be silent: its own error would never come. What was begun may
 * still be done later; a repeat under the same key finds it. Tenants' operations are not even begun then, so that nothing piles up.
 */
function unlessKeptWaiting(
	{ watch: { isSilent, onSilent }, inTime }: Pick<HandleDeps, "watch"> & { readonly inTime: InTime },
	operation: Operation,
	state: RequestState,
	work: () => Promise<Response>,
): Promise<Response> {
	const silence = () =>
		new Problem("service-unavailable", {
			detail: "The database does not answer.",
			headers: { "retry-after": "1" },
		});
	if (isSilent() && operation.credentials === NEEDS_BOTH) return Promise.reject(silence());
	return new Promise<Response>((resolve, reject) => {
		const forgetSilence = onSilent(() => reject(silence()));
		const forgetTime = inTime(state, reject);
		const forget = () => {
			forgetSilence();
			forgetTime();
		};
		const answered = work();
		answered.finally(forget).then(resolve, reject);
	});
}

/**
 * Nobody waits for an answer until the listener cuts the connection without a word. Statements end in time, but whoever waits for a connection to the
 * database behind others, all of which wait for a lock, has not asked anything yet: the third in such a row would wait for a minute and a half.
 */

/** The listener cuts what has been silent for a minute, or some seconds less. */
const LIMIT_MS = 50_000;
const LOOK_EVERY_MS = 1_000;

type Waiting = { readonly state: Pick<RequestState, "waitsSince">; readonly giveUp: (error: Problem) => void };

/** The function calls back once when the request has waited for too long since its body was whole; what it answers ends that. */
export type InTime = (state: Waiting["state"], giveUp: Waiting["giveUp"]) => () => void;

/** One timer for all requests, since nearly all are answered long before. */
export function createInTime(limitMs = LIMIT_MS, lookEveryMs = LOOK_EVERY_MS): InTime {
	const waiting = new Set<Waiting>();
	setInterval(() => {
		const now = performance.now();
		for (const one of waiting) {
			if (one.state.waitsSince === undefined || now - one.state.waitsSince < limitMs) continue;
			waiting.delete(one);
			one.giveUp(tooLate());
		}
	}, lookEveryMs).unref();
	return (state, giveUp) => {
		const one = { state, giveUp };
		waiting.add(one);
		return () => void waiting.delete(one);
	};
}

/** What was begun may still be done later; a repeat under the same key finds it. */
function tooLate(): Problem {
	return new Problem("service-unavailable", {
		detail:
			"The service is busy with what came before this. What was asked for may still be done: a repeat under the same key tells.",
		headers: { "retry-after": "5" },
	});
}
