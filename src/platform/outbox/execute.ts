import type { Batcher } from "../concurrency";
import { failpoint } from "../failpoints";
import type { Log, Metrics } from "../telemetry";
import { LeaseLostError } from "./lease";
import { type Handled, leavesNothing, type Message, type Outcome, pauseAfterSeconds, retry } from "./message";
import type { Settlement } from "./store";

/** Runs one message through its handler and settles the outcome. A handler that throws causes a retry; LeaseLostError is not a failure. */
export type Handler = (message: Message) => Promise<Handled>;
export type Handlers = Readonly<Record<string, Handler>>;

export type Execution = {
	readonly log: Log;
	readonly metrics: Pick<Metrics, "outboxMessages" | "staleFences">;
	readonly handlers: Handlers;
};

/** Writes the outcomes of messages that end at the same time in one statement; false for a message whose lease was lost. */
type Settle = Batcher<Settlement, boolean>;

/** Whether an outcome is written: not, because another lane has the shard, or because the database stays away. */
type Settled = "written" | "refused" | "unknown";

/** Runs the handler, then settles. Never throws. */
export async function execute(
	on: Execution,
	settle: Settle,
	message: Message,
	failures: FailureLog = createFailureLog(on.log),
): Promise<{ readonly outcome: Outcome; readonly settled: Settled }> {
	failpoint("after-claim");
	const handled = await perform(on, message, failures);
	const outcome = handled.kind === "settled" ? handled.outcome : handled;
	on.metrics.outboxMessages.inc({ kind: message.kind, outcome: outcome.kind });
	if (handled.kind === "settled") return { outcome, settled: "written" };
	const settled = leavesNothing(message, outcome)
		? message.leaseLeftMs() > 0
			? "written"
			: "refused"
		: await settleWithRetries(on, settle, message, outcome);
	if (settled !== "refused") return { outcome, settled };
	on.metrics.staleFences.inc({ kind: message.kind });
	on.log.warn(
		{ event: "outbox.lease_lost", message: message.id, kind: message.kind },
		"outcome refused: another lane has the shard",
	);
	return { outcome, settled };
}

async function perform(on: Execution, message: Message, failures: FailureLog): Promise<Handled> {
	const handler = on.handlers[message.kind];
	if (!handler) return retry(60, `no handler for ${message.kind}`);
	try {
		return await handler(message);
	} catch (error) {
		const { id, kind, subject } = message;
		if (error instanceof LeaseLostError)
			on.log.warn(
				{ event: "outbox.handler_stopped", message: id, kind, subject },
				"handler stopped: it lost its lease",
			);
		else failures.report(message, error);
		return retry(pauseAfterSeconds(error, message.failures), error instanceof Error ? error.message : String(error));
	}
}

const SETTLE_ATTEMPTS = 8;

/** Retries the write while the database is briefly away. If it stays away, the message runs again. */
async function settleWithRetries(on: Execution, settle: Settle, message: Message, outcome: Outcome): Promise<Settled> {
	for (let attempt = 1; ; attempt++) {
		try {
			return (await settle({ message, outcome })) ? "written" : "refused";
		} catch (error) {
			if (attempt >= SETTLE_ATTEMPTS) {
				on.log.error({ event: "outbox.settle_failed", message: message.id, err: error }, "cannot write an outcome");
				return "unknown";
			}
			await Bun.sleep(50 * attempt);
		}
	}
}

/**
 * Logs handlers that fail. When many of a kind fail with the same error, as during an outage, it logs a few per minute and then how many it
 * omitted. Each message's error is in its row.
 */

const SPAN_MS = 60_000;
const LINES_PER_SPAN = 10;

type FailureLog = {
	readonly report: (message: Pick<Message, "id" | "kind" | "subject">, error: unknown) => void;
	/** Logs at once how many failures were omitted so far, before the process ends. */
	readonly finish: () => void;
};

type Span = { lines: number; omitted: number; readonly end: () => void };

export function createFailureLog(log: Pick<Log, "error">, spanMs = SPAN_MS): FailureLog {
	const spans = new Map<string, Span>();
	function begin(key: string, kind: string, sort: string): Span {
		const span: Span = { lines: 0, omitted: 0, end };
		const timer = setTimeout(end, spanMs);
		timer.unref();
		function end(): void {
			clearTimeout(timer);
			spans.delete(key);
			if (span.omitted > 0)
				log.error(
					{ event: "outbox.failures_omitted", kind, sort, count: span.omitted },
					"omitted further failures of the same kind",
				);
		}
		spans.set(key, span);
		return span;
	}
	return {
		report({ id, kind, subject }, error) {
			const sort = nameOf(error);
			const key = `${kind} ${sort}`;
			const span = spans.get(key) ?? begin(key, kind, sort);
			if (span.lines >= LINES_PER_SPAN) {
				span.omitted++;
				return;
			}
			span.lines++;
			log.error({ event: "outbox.handler_failed", message: id, kind, subject, err: error }, "handler failed");
		},
		finish() {
			for (const span of [...spans.values()]) span.end();
		},
	};
}

/** Short, and without the message of the error, which may name a document. */
function nameOf(error: unknown): string {
	if (!(error instanceof Error)) return typeof error;
	return "code" in error ? `${error.name} ${String(error.code)}` : error.name;
}
