import { isConnectionFailure } from "../database";
import type { Hold } from "../lanes";

/** A durable work item. `kind` is one of `OUTBOX_KINDS`. */
export type NewMessage = {
	readonly kind: string;
	readonly tenantId: string;
	/** The id of what the message is about, such as a document or a delivery. */
	readonly subject: string;
	/** The document from which it follows, if that is not the subject. Not stored. */
	readonly docId?: string;
	readonly payload?: Readonly<Record<string, string | number | boolean | null>>;
	/** By the database's clock. Default: now. */
	readonly availableInSeconds?: number;
};

/** A message that is carried out. Every write on its behalf presents its `hold`. */
export type Message = {
	readonly id: string;
	readonly kind: string;
	readonly tenantId: string;
	readonly subject: string;
	readonly payload: Readonly<Record<string, unknown>>;
	/** Retries so far. */
	readonly failures: number;
	/** An earlier attempt may have begun, here or by another lane. */
	readonly isRepeat: boolean;
	/** Seconds since the message was written, by the database's clock, when this attempt began. */
	readonly ageSeconds: number;
	/** False for a message without a row, which the work log gives back if its lane ends. Default: true. */
	readonly isStored?: boolean;
	readonly hold: Hold;
	/**
	 * Milliseconds until another lane may take the message, by the steady clock and rounded down. Check it before an effect that cannot
	 * be undone; it is negative after a long pause.
	 */
	readonly leaseLeftMs: () => number;
};

/** What happens to a message next. The handler returns it, and `settle` writes it. */
export type Outcome =
	| { readonly kind: "done" }
	/** Try again; counts as a failure. `isCounted`: the count must not be lost, so the message gets a row if it has none. */
	| { readonly kind: "retry"; readonly afterSeconds: number; readonly reason: string; readonly isCounted?: boolean }
	/** Wait for something; does not count as a failure. */
	| { readonly kind: "snooze"; readonly afterSeconds: number }
	/** Do not try again automatically. */
	| { readonly kind: "dead"; readonly reason: string };

/** What a handler returns: the outcome to write, or the one that it wrote itself in its last transaction. */
export type Handled = Outcome | { readonly kind: "settled"; readonly outcome: Outcome };

export const done: Outcome = { kind: "done" };
export const retry = (afterSeconds: number, reason: string): Outcome => ({ kind: "retry", afterSeconds, reason });
export const snooze = (afterSeconds: number): Outcome => ({ kind: "snooze", afterSeconds });
export const dead = (reason: string): Outcome => ({ kind: "dead", reason });

export const settled = (outcome: Outcome): Handled => ({ kind: "settled", outcome });

/** A message without a row gets one, unless it goes on within this time of its start. */
const IN_MEMORY_MAX_SECONDS = 2;

/** True if a message without a row goes on without one after this outcome. */
export function staysInMemory({ isStored = true, ageSeconds }: Message, outcome: Outcome): boolean {
	if (isStored || (outcome.kind !== "retry" && outcome.kind !== "snooze")) return false;
	if (outcome.kind === "retry" && outcome.isCounted) return false;
	return ageSeconds + outcome.afterSeconds < IN_MEMORY_MAX_SECONDS;
}

/** True if an outcome leaves nothing to write. */
export function leavesNothing(message: Message, outcome: Outcome): boolean {
	return message.isStored === false && (outcome.kind === "done" || staysInMemory(message, outcome));
}

const BACKOFF_MAX_SECONDS = 60;

/** Seconds to wait after the nth failure: 0.5, 1, 2 … 60, plus up to 10 % so that retries spread. */
export function backoffSeconds(failures: number, random = Math.random()): number {
	return Math.min(BACKOFF_MAX_SECONDS, 0.5 * 2 ** Math.min(failures, 12)) * (1 + random * 0.1);
}

const DATABASE_AWAY_MAX_SECONDS = 5;

/**
 * Seconds to wait after an exception. Handlers report failures of other services by their outcome, or by an error with `isOutside`. Any
 * other failed connection is the database's and says nothing about the message: it is retried soon after the database is back, spread over
 * a second.
 */
export function pauseAfterSeconds(error: unknown, failures: number, random = Math.random()): number {
	const pause = backoffSeconds(failures, random);
	const isOutside = (error as { isOutside?: unknown } | null)?.isOutside === true;
	return isConnectionFailure(error) && !isOutside
		? Math.min(pause, DATABASE_AWAY_MAX_SECONDS * (1 - random * 0.2))
		: pause;
}
