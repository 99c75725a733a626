import { isConnectionFailure } from "../database";

/** A durable work item. Kinds belong to the folders that own them; the outbox knows none of them. */
export type NewMessage = {
	readonly kind: string;
	readonly tenantId: string;
	/** What the message is about: the id of a document or of a delivery. */
	readonly subject: string;
	readonly payload?: Readonly<Record<string, string | number | boolean | null>>;
	/** Absent: now, by the database's clock. */
	readonly availableInSeconds?: number;
};

/** A claimed message. `attempt` and `owner` are its fence: writes on its behalf must show that they still hold. */
export type Message = {
	readonly id: string;
	readonly kind: string;
	readonly tenantId: string;
	readonly subject: string;
	readonly payload: Readonly<Record<string, unknown>>;
	/** Claims so far, this one included. */
	readonly attempt: number;
	/** Retries so far. */
	readonly failures: number;
	/** Seconds since the message was written, by the database's clock. */
	readonly ageSeconds: number;
	readonly owner: string;
	/**
	 * Milliseconds until somebody else may take it, by this process's steady clock and on the safe side; asked before what cannot be undone,
	 * which wants more of it than it may take itself. A holder that was paused finds it negative.
	 */
	readonly leaseLeftMs: () => number;
};

/** What should happen to a message next; the handler says it, `settle` writes it down. */
export type Outcome =
	| { readonly kind: "done" }
	/** It failed and is tried again; counts as a failure. */
	| { readonly kind: "retry"; readonly afterSeconds: number; readonly reason: string }
	/** It is waiting for something; counts as nothing. */
	| { readonly kind: "snooze"; readonly afterSeconds: number }
	/** It will not be tried again by itself. */
	| { readonly kind: "dead"; readonly reason: string };

/** What a handler answers: the outcome to be written, or the one that it has written in the transaction of its own last write. */
export type Handled = Outcome | { readonly kind: "settled"; readonly outcome: Outcome };

export const done: Outcome = { kind: "done" };
export const retry = (afterSeconds: number, reason: string): Outcome => ({ kind: "retry", afterSeconds, reason });
export const snooze = (afterSeconds: number): Outcome => ({ kind: "snooze", afterSeconds });
export const dead = (reason: string): Outcome => ({ kind: "dead", reason });

export const settled = (outcome: Outcome): Handled => ({ kind: "settled", outcome });

const BACKOFF_MAX_SECONDS = 60;

/** Seconds to wait after the nth failure: 0.5, 1, 2 … 60, with up to 10 % on top so that failures spread. */
export function backoffSeconds(failures: number, random = Math.random()): number {
	return Math.min(BACKOFF_MAX_SECONDS, 0.5 * 2 ** Math.min(failures, 12)) * (1 + random * 0.1);
}

const DATABASE_AWAY_MAX_SECONDS = 5;

/**
 * Seconds to wait after what a handler threw. Handlers tell what others' services did to them by their outcome, or by an error that says that it is
 * `isOutside`. So any other connection that failed is the database's: it says nothing of the message, and when the database is back everything that was
 * under way goes on soon, spread over a second.
 */
export function pauseAfterSeconds(error: unknown, failures: number, random = Math.random()): number {
	const pause = backoffSeconds(failures, random);
	const isOutside = (error as { isOutside?: unknown } | null)?.isOutside === true;
	return isConnectionFailure(error) && !isOutside
		? Math.min(pause, DATABASE_AWAY_MAX_SECONDS * (1 - random * 0.2))
		: pause;
}

/** Who holds a message that is written as claimed, and for how long. */
export type Claim = { readonly owner: string; readonly leaseSeconds: number };
