import { CHANNELS, type Sql, type Tx } from "../database";
import { newId } from "../values";
import type { Claim, NewMessage } from "./message";
import { type ClaimedRow, insertMessages } from "./store";

/** Writes messages; only inside the transaction of the fact that causes them. Call `wake` after it has committed. */
export async function append(tx: Tx, ...messages: readonly NewMessage[]): Promise<void> {
	await appendFor(tx, messages, undefined);
}

/** The same; what the hand-over has room for is written as claimed by its dispatcher already. Call its `start` after the commit. */
export async function appendFor(
	tx: Tx,
	messages: readonly NewMessage[],
	localDispatch: LocalDispatch | undefined,
): Promise<void> {
	if (messages.length === 0) return;
	const rows = messages.map((message) => {
		const id = newId();
		return { id, message, claim: localDispatch?.claim(id, message) };
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

/**
 * Messages that follow from one that a dispatcher is carrying out, and that it goes on with itself: they are written as claimed, in the
 * transaction that causes them, and begin when it has committed. That spares a claim, and the wait for it.
 *
 * It takes no more than a claim would: as many as there are free slots, and of a tenant as many as it may still fill. All else is written as
 * ready. A dispatcher that dies in between holds leases like any other, and they run out.
 */

export type LocalDispatch = {
	/** Takes a message that is being written, if there is room; the claim is to be written with it. */
	readonly claim: (id: string, message: NewMessage) => Claim | undefined;
	/** True when something was left to be claimed, by whoever has room. */
	readonly hasLeft: () => boolean;
	/** The transaction has committed: what was taken is carried out. */
	readonly start: () => void;
	/** It was rolled back: nothing was taken. */
	readonly drop: () => void;
};

export type LocalDispatchOptions = Claim & {
	readonly kinds: readonly string[];
	/** Reserves a slot for a tenant; false when there is none. */
	readonly reserve: (tenantId: string) => boolean;
	readonly release: (tenantId: string) => void;
	readonly begin: (message: ClaimedRow) => void;
};

export function createLocalDispatch({ owner, leaseSeconds, kinds, ...slots }: LocalDispatchOptions): LocalDispatch {
	let taken: ClaimedRow[] = [];
	let isLeft = false;
	const take = () => {
		const all = taken;
		taken = [];
		for (const { tenantId } of all) slots.release(tenantId);
		return all;
	};
	return {
		claim(id, { kind, tenantId, subject, payload = {}, availableInSeconds = 0 }) {
			if (availableInSeconds > 0 || !kinds.includes(kind) || !slots.reserve(tenantId)) {
				isLeft = true;
				return undefined;
			}
			taken.push({ id, kind, tenantId, subject, payload, attempt: 1, failures: 0, ageSeconds: 0, owner });
			return { owner, leaseSeconds };
		},
		hasLeft: () => isLeft,
		start: () => {
			for (const message of take()) slots.begin(message);
		},
		drop: () => void take(),
	};
}
