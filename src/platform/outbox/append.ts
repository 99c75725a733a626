import { CHANNELS, type Sql, type Tx } from "../database";
import { newId } from "../values";
import type { Claim, NewMessage } from "./message";
import { type ClaimedRow, insertMessages } from "./store";

/** Writes messages. Call it only in the transaction of the fact that causes them, and call `wake` after the commit. */
export async function append(tx: Tx, ...messages: readonly NewMessage[]): Promise<void> {
	await appendFor(tx, messages, undefined);
}

/** Like `append`, but what the local dispatch has room for is written as claimed by its dispatcher. Call its `start` after the commit. */
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

/**
 * Lets a dispatcher run the messages that follow from one of its own without claiming them. They are written as claimed, in the transaction
 * that causes them, and start after its commit.
 *
 * It takes no more than a claim would: as many as there are free slots and the tenant's share allows. The rest are written as ready. If the
 * dispatcher dies in between, the leases run out like any others.
 */

export type LocalDispatch = {
	/** Takes a message that is being written, if there is room. Write the claim with the message. */
	readonly claim: (id: string, message: NewMessage) => Claim | undefined;
	/** True when a message was not taken, so a dispatcher with room has to be woken. */
	readonly hasLeft: () => boolean;
	/** Call it after the commit: starts the messages that were taken. */
	readonly start: () => void;
	/** Call it after a rollback: releases what was taken. */
	readonly drop: () => void;
};

type LocalDispatchOptions = Claim & {
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
