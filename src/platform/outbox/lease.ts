/** Writing on behalf of a message: only while it is held. */
import type { Sql, Tx } from "../database";
import type { Message } from "./message";
import { lockHeldMessage } from "./store";

/** The lease passed to another holder, or is over: this one must change nothing. */
export class LeaseLostError extends Error {
	constructor(readonly held: Pick<Message, "id" | "attempt">) {
		super(`message ${held.id} is no longer held by attempt ${held.attempt}`);
		this.name = "LeaseLostError";
	}
}

/** Asked before what a message has done outside of the database; whoever was stopped for longer than its lease ends here. Throws: LeaseLostError. */
export function mustHaveLease(message: Message): void {
	if (message.leaseLeftMs() <= 0) throw new LeaseLostError(message);
}

/** Locks the message until the transaction ends. Throws: LeaseLostError. */
export async function mustHold(tx: Tx, message: Message): Promise<void> {
	if (!(await lockHeldMessage(tx, message))) throw new LeaseLostError(message);
}

/** Carries out statements in one transaction in which the message is held; none of them without it. Throws: LeaseLostError. */
export async function writeHeld<T>(sql: Sql, message: Message, statements: (tx: Tx) => Promise<T>): Promise<T> {
	const { value } = await sql.begin(async (tx) => {
		await mustHold(tx, message);
		return { value: await statements(tx) };
	});
	return value as T;
}
