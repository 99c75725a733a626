/** Writes on behalf of a message, which are allowed only while its lease is held. */
import type { Sql, Tx } from "../database";
import type { Message } from "./message";
import { lockLeasedMessage } from "./store";

/** The lease has expired or passed to another worker: this one must change nothing. */
export class LeaseLostError extends Error {
	constructor(readonly held: Pick<Message, "id" | "attempt">) {
		super(`message ${held.id} is no longer held by attempt ${held.attempt}`);
		this.name = "LeaseLostError";
	}
}

/** Call it before an effect outside the database: a worker that was paused for longer than its lease ends here. Throws: LeaseLostError. */
export function assertLeaseTime(message: Message): void {
	if (message.leaseLeftMs() <= 0) throw new LeaseLostError(message);
}

/** Locks the message until the transaction ends. Throws: LeaseLostError. */
export async function assertLease(tx: Tx, message: Message): Promise<void> {
	if (!(await lockLeasedMessage(tx, message))) throw new LeaseLostError(message);
}

/** Runs statements in one transaction that holds the lease, or none of them. Throws: LeaseLostError. */
export async function writeUnderLease<T>(sql: Sql, message: Message, statements: (tx: Tx) => Promise<T>): Promise<T> {
	const { value } = await sql.begin(async (tx) => {
		await assertLease(tx, message);
		return { value: await statements(tx) };
	});
	return value as T;
}

/**
 * How much of a lease is always left while its holder lives. A call that cannot be undone starts only while more of the lease is left than
 * the call may take.
 *
 *     0 ─────────── 1/5 ─────────────────────────── whole
 *     requested     extended, 4/5 left                over
 *                    └──── 2/15 for a slow database, 2/3 for one call ────┘
 */

const EXTENSIONS_PER_LEASE = 5;

/** Milliseconds between two extensions of the leases. */
export function extensionEveryMs(leaseSeconds: number): number {
	return (leaseSeconds * 1000) / EXTENSIONS_PER_LEASE;
}

/** The longest time, in milliseconds, that a call under a lease may take. */
export function longestCallMs(leaseSeconds: number): number {
	return (leaseSeconds * 1000 * 2) / 3;
}
