import type { Batcher } from "../concurrency";
import type { Sql } from "../database";
import { failpoint } from "../failpoints";
import type { Log, Metrics } from "../telemetry";
import { LeaseLostError } from "./lease";
import { type Handled, type Message, type Outcome, pauseAfterSeconds, retry } from "./message";
import { type ClaimedRow, extendLeases, type Settlement } from "./store";

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
	failpoint("after-claim");
	const handled = await perform(on, message, failures);
	const outcome = handled.kind === "settled" ? handled.outcome : handled;
	on.metrics.outboxMessages.inc({ kind: message.kind, outcome: outcome.kind });
	if (handled.kind === "settled" || (await settleStubbornly(on, settle, message, outcome))) return outcome;
	on.metrics.staleFences.inc({ kind: message.kind });
	on.log.warn(
		{ event: "outbox.lease_lost", message: message.id, kind: message.kind, attempt: message.attempt },
		"outcome refused: another worker holds the lease",
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
			on.log.warn(
				{ event: "outbox.handler_stopped", message: id, kind, subject, attempt },
				"handler stopped: it lost its lease",
			);
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
				on.log.error({ event: "outbox.settle_failed", message: message.id, err: error }, "cannot write an outcome");
				return true;
			}
			await Bun.sleep(50 * attempt);
		}
	}
}

/**
 * What a dispatcher is carrying out, and until when nobody else may.
 *
 * An attempt is one claim of one message: what is known of its lease is of no other. One that was lost may still be under way here when its
 * message comes back, so the last attempt at each message is known too.
 */

export type Attempt = {
	readonly id: string;
	readonly number: number;
	/** Until when nobody else may take the message: by the steady clock, from before the lease was asked for. */
	leasedUntilMs: number;
	/** Ends when the attempt has; absent for the moment in which it begins. */
	work: Promise<void> | undefined;
};

export type Attempts = {
	readonly count: () => number;
	/** Begins one; `before` is the work of an attempt at the same message that has not ended. */
	readonly begin: (row: ClaimedRow, askedAtMs: number) => { attempt: Attempt; before: Promise<void> | undefined };
	readonly end: (attempt: Attempt) => void;
	/** Extends the leases of all that still hold theirs. */
	readonly keep: (sql: Sql, owner: string) => Promise<void>;
	/** Resolves when all that are under way now have ended. */
	readonly whenEnded: () => Promise<unknown>;
};

export function createAttempts(leaseSeconds: number): Attempts {
	const running = new Set<Attempt>();
	const lastAt = new Map<string, Attempt>();
	const leaseFrom = (askedAtMs: number) => askedAtMs + leaseSeconds * 1000;
	return {
		count: () => running.size,
		begin({ id, attempt: number }, askedAtMs) {
			const before = lastAt.get(id)?.work;
			const attempt: Attempt = { id, number, leasedUntilMs: leaseFrom(askedAtMs), work: undefined };
			running.add(attempt);
			lastAt.set(id, attempt);
			return { attempt, before };
		},
		end(attempt) {
			running.delete(attempt);
			if (lastAt.get(attempt.id) === attempt) lastAt.delete(attempt.id);
			attempt.leasedUntilMs = Number.NEGATIVE_INFINITY;
		},
		async keep(sql, owner) {
			if (running.size === 0) return;
			const askedAtMs = performance.now();
			for (const attempt of await extendLeases(sql, owner, [...running], leaseSeconds))
				if (running.has(attempt)) attempt.leasedUntilMs = leaseFrom(askedAtMs);
		},
		whenEnded: () => Promise.allSettled([...running].map(({ work }) => work)),
	};
}

/**
 * Tells of handlers that failed: each one, unless many of a kind do with the same error, as while a store or a mail server is away and everything that
 * waits for it is tried again. Then a few a minute, and at its end how many were passed over. What each message failed with stands in its row.
 */

const SPAN_MS = 60_000;
const LINES_PER_SPAN = 10;

export type FailureLog = {
	readonly tell: (message: Pick<Message, "id" | "kind" | "subject">, error: unknown) => void;
	/** Tells at once how many were passed over so far, before the process ends. */
	readonly finish: () => void;
};

type Span = { lines: number; passedOver: number; readonly end: () => void };

export function createFailureLog(log: Pick<Log, "error">, spanMs = SPAN_MS): FailureLog {
	const spans = new Map<string, Span>();
	function begin(key: string, kind: string, sort: string): Span {
		const span: Span = { lines: 0, passedOver: 0, end };
		const timer = setTimeout(end, spanMs);
		timer.unref();
		function end(): void {
			clearTimeout(timer);
			spans.delete(key);
			if (span.passedOver > 0)
				log.error(
					{ event: "outbox.failures_omitted", kind, sort, count: span.passedOver },
					"omitted further failures of the same kind",
				);
		}
		spans.set(key, span);
		return span;
	}
	return {
		tell({ id, kind, subject }, error) {
			const sort = nameOf(error);
			const key = `${kind} ${sort}`;
			const span = spans.get(key) ?? begin(key, kind, sort);
			if (span.lines >= LINES_PER_SPAN) {
				span.passedOver++;
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

/** Of few words: messages name documents. */
function nameOf(error: unknown): string {
	if (!(error instanceof Error)) return typeof error;
	return "code" in error ? `${error.name} ${String(error.code)}` : error.name;
}
