/** Writes on behalf of a message, which are allowed only while its lane owns the tenant's shard. */
import type { Sql, Tx } from "../database";
import type { Message } from "./message";
import { lockLeasedMessage } from "./store";

/** The shard has passed to another lane, or the message is gone: this attempt must change nothing. */
export class LeaseLostError extends Error {
	constructor(readonly held: Pick<Message, "id">) {
		super(`message ${held.id} is no longer held by this attempt`);
		this.name = "LeaseLostError";
	}
}

/** Call it before an effect outside the database: a lane that was paused for longer than its lease ends here. Throws: LeaseLostError. */
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
 * The longest time, in milliseconds, that a call under a lease may take. A lane renews its lease when a fifth of it has passed, so four fifths
 * are left while it lives: two thirds for one call, the rest for a slow database.
 */
export function longestCallMs(leaseSeconds: number): number {
	return (leaseSeconds * 1000 * 2) / 3;
}
