/**
 * What a dispatcher is carrying out, and until when nobody else may.
 *
 * An attempt is one claim of one message: what is known of its lease is of no other. One that was lost may still be under way here when its
 * message comes back, so the last attempt at each message is known too.
 */
import type { Sql } from "../database";
import { type ClaimedRow, extendLeases } from "./store";

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
