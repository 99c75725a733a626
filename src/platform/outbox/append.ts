import type { Sql, Tx } from "../database";
import { CHANNELS } from "../database";
import { newId } from "../values";
import type { Handover } from "./local-dispatch";
import type { NewMessage } from "./message";
import { insertMessages } from "./store";

/** Writes messages; only inside the transaction of the fact that causes them. Call `wake` after it has committed. */
export async function append(tx: Tx, ...messages: readonly NewMessage[]): Promise<void> {
	await appendFor(tx, messages, undefined);
}

/** The same; what the hand-over has room for is written as claimed by its dispatcher already. Call its `start` after the commit. */
export async function appendFor(
	tx: Tx,
	messages: readonly NewMessage[],
	handover: Handover | undefined,
): Promise<void> {
	if (messages.length === 0) return;
	const rows = messages.map((message) => {
		const id = newId();
		return { id, message, claim: handover?.claim(id, message) };
	});
	await insertMessages(tx, rows);
}

const WAKE_PAUSE_MS = 25;

/**
 * Makes a function that tells dispatchers of all processes to look now. A hint only, given outside the transaction, the first at
 * once and then at most every 25 ms: a NOTIFY inside each commit would make all commits of the server queue behind one lock.
 */
export function createWake(sql: Sql): () => void {
	let isPausing = false;
	let isAsked = false;
	function notify(): void {
		isPausing = true;
		isAsked = false;
		// A lost hint costs a dispatcher's polling interval, nothing else; so nobody waits for the disk.
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
