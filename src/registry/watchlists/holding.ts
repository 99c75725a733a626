/** The watchlists that hold a number: for its erasure, and to show what is held on it. They read all lists, 200 to 300 KB of each full one. */
import type { Tx } from "../../platform/database";
import { keyOf } from "../index/index";
import { packWatched, unpackNumbers, unpackWatched } from "./numbers";
import { findHolder, findNumbers, lockNumbers, readAllNumbers, writeNumbers } from "./store";

/** Takes a number off all lists, in the transaction of its erasure. */
export async function leaveWatchlists(tx: Tx, digits: string): Promise<void> {
	const key = keyOf(digits);
	for (const id of await findListsWith(tx, key)) {
		const list = await lockNumbers(tx, id);
		if (list) await writeNumbers(tx, id, packWatched(unpackWatched(list).filter((one) => one.key !== key)));
	}
}

export type WatchedBy = {
	readonly watchlist_id: string;
	readonly owner_id: string;
	/** Null if the list is the owner's own. */
	readonly company_id: string | null;
	readonly name: string;
	/** The customer's own text about the number; empty without one. */
	readonly reference: string;
};

/** The lists with a number. */
export async function listWatching(tx: Tx, digits: string): Promise<WatchedBy[]> {
	const key = keyOf(digits);
	const found: WatchedBy[] = [];
	for (const id of await findListsWith(tx, key)) {
		const holder = await findHolder(tx, id);
		const watched = unpackWatched(await findNumbers(tx, id)).find((one) => one.key === key);
		if (!holder || !watched) continue;
		const { ownerId, tenantId, name } = holder;
		found.push({ watchlist_id: id, owner_id: ownerId, company_id: tenantId, name, reference: watched.reference });
	}
	return found;
}

async function findListsWith(tx: Tx, key: number): Promise<string[]> {
	const ids: string[] = [];
	for await (const { id, numbers } of readAllNumbers(tx)) {
		for (const held of unpackNumbers(numbers)) {
			if (held === key) ids.push(id);
			if (held >= key) break;
		}
	}
	return ids;
}
