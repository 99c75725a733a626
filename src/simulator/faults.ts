/**
 * Faults that a test requests for the next calls of an operation. They live in memory and end with the program.
 *
 *     what goes wrong                            requested as
 *     connection refused, or nothing answers     an outage of the whole host: availability.ts
 *     the call vanishes                          black-hole
 *     broken before, after the work              reset-before, reset-after
 *     500; 503 with Retry-After                  status-500, status-503
 *     the answer after a minute                  slow, ms 60000
 *     half an answer                             half-body
 *     accepted, then no answer ever              silent-after
 *     one sending, two verdicts                  duplicate-verdict
 *     the same bytes again: a used number, 1209  repeat-rejected
 *     verdicts in reverse order                  verdicts-reversed, count: how many sendings
 *     trackId not found, then found              not-found, count: for how many questions
 *     written, and not to be read for a while    read-lag, ms
 *     accepted, then rejected                    contradicted, after 1: the first call gets the true answer
 */
import { type Answer, answer, emptyAnswer, failureAnswer, htmlAnswer } from "./http/answer";

export const FAULT_OPERATIONS = [
	"seed",
	"token",
	"receive",
	"receive-summary",
	"result",
	"state",
	"track-ids",
	"summary-query",
	"void",
	"approval",
	"directory",
	"service-status",
] as const;
export type FaultOperation = (typeof FAULT_OPERATIONS)[number];

export const FAULT_MODES = [
	"status-401",
	"html-400",
	"status-500",
	"status-503",
	"reset-before",
	"reset-after",
	"slow",
	"half-body",
	"html-200",
	"code-004",
	"not-found",
	"in-process",
	"black-hole",
	"silent-after",
	"duplicate-verdict",
	"repeat-rejected",
	"verdicts-reversed",
	"read-lag",
	"contradicted",
] as const;
export type FaultMode = (typeof FAULT_MODES)[number];

/**
 * What the operation must pretend: a failure of its validation, an unknown document, a pending state, the opposite verdict, or that known bytes are
 * another document. It may also delay the verdict or the knowledge of the document.
 */
export type Pretence =
	| "code-004"
	| "not-found"
	| "in-process"
	| "contradicted"
	| "repeat-rejected"
	| "verdicts-reversed"
	| "read-lag";

/** Only these operations can pretend. */
const PRETENDERS: Record<Pretence, readonly FaultOperation[]> = {
	"code-004": ["receive", "receive-summary", "approval"],
	"not-found": ["result", "state", "track-ids", "summary-query"],
	"in-process": ["result"],
	contradicted: ["result", "state", "track-ids", "summary-query"],
	"repeat-rejected": ["receive", "receive-summary"],
	"verdicts-reversed": ["receive"],
	"read-lag": ["receive", "receive-summary"],
};

export type Fault = {
	readonly operation: FaultOperation;
	readonly mode: FaultMode;
	/** Number of calls that it still affects. */
	readonly count: number;
	/** `slow`: from the work to the answer. `verdicts-reversed`: between verdicts. `read-lag`: how long. */
	readonly ms: number;
	/** Number of calls that pass first. */
	readonly after?: number;
	/** For `status-503`; default 1. */
	readonly retryAfterSeconds?: number;
};

export function isPossible(fault: Pick<Fault, "operation" | "mode">): boolean {
	const pretence = asPretence(fault.mode);
	if (fault.mode === "duplicate-verdict") return fault.operation === "receive";
	return pretence === undefined || PRETENDERS[pretence].includes(fault.operation);
}

export type FaultQueue = ReturnType<typeof createFaultQueue>;

/** Faults apply in the order in which they were set. */
export function createFaultQueue() {
	let faults: readonly Fault[] = [];
	return {
		add(fault: Fault): void {
			faults = [...faults, fault];
		},
		list: () => faults,
		clear(): void {
			faults = [];
		},
		/** The fault for this call, if any; counts the call. */
		take(operation: FaultOperation | undefined): Fault | undefined {
			const index = faults.findIndex((fault) => fault.operation === operation);
			const struck = faults[index];
			if (!struck) return undefined;
			const { after = 0 } = struck;
			faults = faults.flatMap((fault, at) => {
				if (at !== index) return [fault];
				if (after > 0) return [{ ...fault, after: after - 1 }];
				return fault.count > 1 ? [{ ...fault, count: fault.count - 1 }] : [];
			});
			return after > 0 ? undefined : struck;
		},
	};
}

/** Runs a call under a fault. `work` does what the operation does, and pretends if the fault says so. */
export async function strike(
	fault: Fault | undefined,
	work: (pretence: Pretence | undefined, ms: number) => Answer | Promise<Answer>,
): Promise<Answer> {
	const workTruly = () => work(undefined, 0);
	if (!fault) return workTruly();
	switch (fault.mode) {
		case "status-401":
			return emptyAnswer(401, { "www-authenticate": "Bearer" });
		case "html-400":
			return htmlAnswer(400, "Bad Request", "<h1>Bad Request</h1><p>The request was rejected. Support ID: 0</p>");
		case "status-500":
			return failureAnswer();
		case "status-503":
			return answer(503, "text/plain; charset=utf-8", "Service Unavailable", {
				"retry-after": String(fault.retryAfterSeconds ?? 1),
			});
		case "html-200":
			return htmlAnswer(200, "Mantenimiento", "<h1>Estamos en mantenimiento</h1>");
		case "reset-before":
			return { ...emptyAnswer(200), delivery: "none" };
		case "reset-after":
			return { ...(await workTruly()), delivery: "none" };
		case "half-body":
			return { ...(await workTruly()), delivery: "half" };
		case "slow": {
			const done = await workTruly();
			return { ...done, afterMs: done.afterMs + fault.ms };
		}
		case "black-hole":
			return UNANSWERED;
		case "silent-after":
			await workTruly();
			return UNANSWERED;
		case "duplicate-verdict": {
			const first = await workTruly();
			await workTruly();
			return first;
		}
		case "verdicts-reversed":
			// The first of the calls is decided last.
			return work(fault.mode, fault.ms * (fault.count - 1));
		default:
			return work(fault.mode, fault.ms);
	}
}

/** Held until the caller gives up or the simulator stops. */
export const UNANSWERED: Answer = { ...emptyAnswer(200), delivery: "none", afterMs: 2 ** 31 - 1 };

function asPretence(mode: FaultMode): Pretence | undefined {
	return isPretence(mode) ? mode : undefined;
}

function isPretence(mode: FaultMode): mode is Pretence {
	return mode in PRETENDERS;
}
