/** Faults that a test orders for the next calls of an operation; they live in memory and end with the program. */
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
] as const;
export type FaultMode = (typeof FAULT_MODES)[number];

/** What the operation itself must pretend: that its own validation failed, that it knows nothing, that it is not done. */
export type Pretence = "code-004" | "not-found" | "in-process";

/** Only these operations can pretend. */
const PRETENDERS: Record<Pretence, readonly FaultOperation[]> = {
	"code-004": ["receive", "receive-summary"],
	"not-found": ["result", "state", "track-ids", "summary-query"],
	"in-process": ["result"],
};

export type Fault = {
	readonly operation: FaultOperation;
	readonly mode: FaultMode;
	/** Calls that it still strikes. */
	readonly count: number;
	/** How long `slow` waits after the work is done. */
	readonly ms: number;
};

export function isPossible(fault: Pick<Fault, "operation" | "mode">): boolean {
	const pretence = asPretence(fault.mode);
	return pretence === undefined || PRETENDERS[pretence].includes(fault.operation);
}

export type FaultQueue = ReturnType<typeof createFaultQueue>;

/** Faults strike in the order in which they were set. */
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
		/** The fault that strikes this call, if any; counts it. */
		take(operation: FaultOperation | undefined): Fault | undefined {
			const index = faults.findIndex((fault) => fault.operation === operation);
			const struck = faults[index];
			if (!struck) return undefined;
			faults = faults.flatMap((fault, at) => {
				if (at !== index) return [fault];
				return fault.count > 1 ? [{ ...fault, count: fault.count - 1 }] : [];
			});
			return struck;
		},
	};
}

/** Carries a call out under a fault. `work` does what the operation does, pretending when told to. */
export async function strike(
	fault: Fault | undefined,
	work: (pretence: Pretence | undefined) => Answer | Promise<Answer>,
): Promise<Answer> {
	if (!fault) return work(undefined);
	switch (fault.mode) {
		case "status-401":
			return emptyAnswer(401, { "www-authenticate": "Bearer" });
		case "html-400":
			return htmlAnswer(400, "Bad Request", "<h1>Bad Request</h1><p>The request was rejected. Support ID: 0</p>");
		case "status-500":
			return failureAnswer();
		case "status-503":
			return answer(503, "text/plain; charset=utf-8", "Service Unavailable", { "retry-after": "1" });
		case "html-200":
			return htmlAnswer(200, "Mantenimiento", "<h1>Estamos en mantenimiento</h1>");
		case "reset-before":
			return { ...emptyAnswer(200), delivery: "none" };
		case "reset-after":
			return { ...(await work(undefined)), delivery: "none" };
		case "half-body":
			return { ...(await work(undefined)), delivery: "half" };
		case "slow": {
			const done = await work(undefined);
			return { ...done, afterMs: done.afterMs + fault.ms };
		}
		default:
			return work(fault.mode);
	}
}

function asPretence(mode: FaultMode): Pretence | undefined {
	return mode === "code-004" || mode === "not-found" || mode === "in-process" ? mode : undefined;
}
