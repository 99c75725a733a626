/** Writing on behalf of a message: only while it is held. */
import type { Sql, Tx } from "../database";
import type { Message } from "./message";
import { lockLeasedMessage } from "./store";

/** The lease passed to another holder, or is over: this one must change nothing. */
export class LeaseLostError extends Error {
	constructor(readonly held: Pick<Message, "id" | "attempt">) {
		super(`message ${held.id} is no longer held by attempt ${held.attempt}`);
		this.name = "LeaseLostError";
	}
}

/** Asked before what a message has done outside of the database; whoever was stopped for longer than its lease ends here. Throws: LeaseLostError. */
export function assertLeaseTime(message: Message): void {
	if (message.leaseLeftMs() <= 0) throw new LeaseLostError(message);
}

/** Locks the message until the transaction ends. Throws: LeaseLostError. */
export async function assertLease(tx: Tx, message: Message): Promise<void> {
	if (!(await lockLeasedMessage(tx, message))) throw new LeaseLostError(message);
}

/** Carries out statements in one transaction in which the message is held; none of them without it. Throws: LeaseLostError. */
export async function writeUnderLease<T>(sql: Sql, message: Message, statements: (tx: Tx) => Promise<T>): Promise<T> {
	const { value } = await sql.begin(async (tx) => {
		await assertLease(tx, message);
		return { value: await statements(tx) };
	});
	return value as T;
}

/**
 * How much of a lease is always left while its holder lives, and what fits into that: a call that cannot be undone is begun only while more of
 * the lease is left than the call may take.
 *
 *     0 ─────────── 1/5 ─────────────────────────── whole
 *     asked for      extended, 4/5 are left           over
 *                    └──── 2/15 of patience with the database, 2/3 for one call ────┘
 */

const EXTENSIONS_PER_LEASE = 5;

/** Milliseconds from one extension of the leases to the next. */
export function extensionEveryMs(leaseSeconds: number): number {
	return (leaseSeconds * 1000) / EXTENSIONS_PER_LEASE;
}

/** Milliseconds that a call may take at most which a kept lease is to outlast. */
export function longestCallMs(leaseSeconds: number): number {
	return (leaseSeconds * 1000 * 2) / 3;
}
