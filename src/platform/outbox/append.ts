import { CHANNELS, type Sql, type Tx } from "../database";
import { newId } from "../values";
import type { NewMessage } from "./message";
import { insertMessages } from "./store";

/** Writes messages. Call it only in the transaction of the fact that causes them, and call `wake` after the commit. */
export async function append(tx: Tx, ...messages: readonly NewMessage[]): Promise<void> {
	await appendFor(tx, messages, undefined);
}

/** Like `append`, and the local dispatch goes on with what is its lane's. Call its `start` after the commit. */
export async function appendFor(
	tx: Tx,
	messages: readonly NewMessage[],
	localDispatch: LocalDispatch | undefined,
): Promise<void> {
	const rows = messages.filter((message) => !localDispatch?.take(message)).map((message) => ({ id: newId(), message }));
	if (rows.length === 0) return;
	await insertMessages(tx, rows);
	for (const { id, message } of rows) localDispatch?.note(id, message);
}

/** Writes messages with the ids of their subjects, as documents of the work log have them; one that is there already stays as it is. */
export async function appendOnce(tx: Tx, messages: readonly NewMessage[]): Promise<void> {
	if (messages.length === 0) return;
	const rows = messages.map((message) => ({ id: message.subject, message }));
	await insertMessages(tx, rows, tx`on conflict (id, tenant_id) do nothing`);
}

/** Lets a lane run the messages that follow from its own without reading them, once their transaction has committed. */
export type LocalDispatch = {
	/** True for a message that goes on without a row: it is found again by the work log. */
	readonly take: (message: NewMessage) => boolean;
	/** Remembers a message that is being written, if it is the lane's. */
	readonly note: (id: string, message: NewMessage) => void;
	/** True when a message is another lane's, which has to be woken. */
	readonly hasLeft: () => boolean;
	/** Call it after the commit. */
	readonly start: () => void;
	/** Call it after a rollback. */
	readonly drop: () => void;
};

const WAKE_PAUSE_MS = 25;

/**
 * Returns a function that wakes the dispatchers of all processes. It is only a hint, sent outside the transaction, at once and
 * then at most every 25 ms: a NOTIFY inside each commit would make all commits of the server wait for one lock.
 */
export function createWake(sql: Sql): () => void {
	let isPausing = false;
	let isAsked = false;
	function notify(): void {
		isPausing = true;
		isAsked = false;
		// A lost hint costs one polling interval, so it does not wait for the disk.
		sql`select set_config('synchronous_commit', 'off', true), pg_notify(${CHANNELS.outbox}, '')`.catch(() => undefined);
		setTimeout(() => {
			isPausing = false;
			if (isAsked) notify();
		}, WAKE_PAUSE_MS);
	}
	return () => {
		if (isPausing) isAsked = true;
		else notify();
	};
}
