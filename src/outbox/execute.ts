import type { Sql } from "../database";
import { faultPoint, type Log, type Metrics } from "../telemetry";
import type { Message } from "./message";
import { backoffSeconds, type Outcome, retry } from "./outcome";
import { settleMessage } from "./store";

/** Carries one message out and says what should happen next. A handler that throws is a retry. */
export type Handler = (message: Message) => Promise<Outcome>;
export type Handlers = Readonly<Record<string, Handler>>;

export type Execution = {
	readonly sql: Sql;
	readonly log: Log;
	readonly metrics: Pick<Metrics, "outboxMessages" | "staleFences">;
	readonly handlers: Handlers;
};

/** One message through its handler: perform → outcome → settle. Never throws. */
export async function execute(on: Execution, message: Message): Promise<void> {
	faultPoint("after-claim");
	const outcome = await perform(on, message);
	on.metrics.outboxMessages.inc({ kind: message.kind, outcome: outcome.kind });
	if (await settle(on, message, outcome)) return;
	on.metrics.staleFences.inc({ kind: message.kind });
	on.log.warn(
		{ message: message.id, kind: message.kind, attempt: message.attempt },
		"the lease had passed to another holder",
	);
}

async function perform(on: Execution, message: Message): Promise<Outcome> {
	const handler = on.handlers[message.kind];
	if (!handler) return retry(60, `no handler for ${message.kind}`);
	try {
		return await handler(message);
	} catch (error) {
		on.log.error({ message: message.id, kind: message.kind, subject: message.subject, err: error }, "a handler failed");
		return retry(backoffSeconds(message.failures), error instanceof Error ? error.message : String(error));
	}
}

const SETTLE_ATTEMPTS = 8;

/** Writing the outcome is tried again while the database flickers; if it stays away, the lease runs out and another holder asks. */
async function settle(on: Execution, message: Message, outcome: Outcome): Promise<boolean> {
	for (let attempt = 1; ; attempt++) {
		try {
			return await settleMessage(on.sql, message, outcome);
		} catch (error) {
			if (attempt >= SETTLE_ATTEMPTS) {
				on.log.error({ message: message.id, err: error }, "an outcome could not be written");
				return true;
			}
			await Bun.sleep(50 * attempt);
		}
	}
}
