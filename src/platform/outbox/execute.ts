import type { Batcher } from "../concurrency";
import type { Sql } from "../database";
import { faultPoint } from "../failpoints";
import type { Log, Metrics } from "../telemetry";
import { createFailureLog, type FailureLog } from "./failure-log";
import { LeaseLostError } from "./lease";
import type { Message } from "./message";
import { type Handled, type Outcome, pauseAfterSeconds, retry } from "./outcome";
import type { Settlement } from "./store";

/** Carries one message out and says what should happen next. A handler that throws is a retry; LeaseLostError is no fault. */
export type Handler = (message: Message) => Promise<Handled>;
export type Handlers = Readonly<Record<string, Handler>>;

export type Execution = {
	readonly sql: Sql;
	readonly log: Log;
	readonly metrics: Pick<Metrics, "outboxMessages" | "staleFences">;
	readonly handlers: Handlers;
};

/** Writes the outcomes of messages that end at the same time in one statement; false for one that was lost to another holder. */
export type Settle = Batcher<Settlement, boolean>;

/** One message through its handler: perform → outcome → settle. Answers the outcome. Never throws. */
export async function execute(
	on: Execution,
	settle: Settle,
	message: Message,
	failures: FailureLog = createFailureLog(on.log),
): Promise<Outcome> {
	faultPoint("after-claim");
	const handled = await perform(on, message, failures);
	const outcome = handled.kind === "settled" ? handled.outcome : handled;
	on.metrics.outboxMessages.inc({ kind: message.kind, outcome: outcome.kind });
	if (handled.kind === "settled" || (await settleStubbornly(on, settle, message, outcome))) return outcome;
	on.metrics.staleFences.inc({ kind: message.kind });
	on.log.warn(
		{ message: message.id, kind: message.kind, attempt: message.attempt },
		"the lease had passed to another holder",
	);
	return outcome;
}

async function perform(on: Execution, message: Message, failures: FailureLog): Promise<Handled> {
	const handler = on.handlers[message.kind];
	if (!handler) return retry(60, `no handler for ${message.kind}`);
	try {
		return await handler(message);
	} catch (error) {
		const { id, kind, subject, attempt } = message;
		if (error instanceof LeaseLostError)
			on.log.warn({ message: id, kind, subject, attempt }, "a handler stopped: it no longer holds its message");
		else failures.tell(message, error);
		return retry(pauseAfterSeconds(error, message.failures), error instanceof Error ? error.message : String(error));
	}
}

const SETTLE_ATTEMPTS = 8;

/** Writing the outcome is tried again while the database flickers; if it stays away, the lease runs out and another holder asks. */
async function settleStubbornly(on: Execution, settle: Settle, message: Message, outcome: Outcome): Promise<boolean> {
	for (let attempt = 1; ; attempt++) {
		try {
			return await settle({ message, outcome });
		} catch (error) {
			if (attempt >= SETTLE_ATTEMPTS) {
				on.log.error({ message: message.id, err: error }, "an outcome could not be written");
				return true;
			}
			await Bun.sleep(50 * attempt);
		}
	}
}
