/** Takes an erased number off all watchlists. */
import type { Tx } from "../../platform/database";
import { keyOf } from "../index/index";
import { packWatched, unpackNumbers, unpackWatched } from "./numbers";
import { lockNumbers, readAllNumbers, writeNumbers } from "./store";

/** In the transaction of the erasure. It reads all lists, 200 to 300 KB of each full one. */
export async function leaveWatchlists(tx: Tx, digits: string): Promise<void> {
	const key = keyOf(digits);
	const ids: string[] = [];
	for await (const { id, numbers } of readAllNumbers(tx)) {
		for (const held of unpackNumbers(numbers)) {
			if (held === key) ids.push(id);
			if (held >= key) break;
		}
	}
	for (const id of ids) {
		const list = await lockNumbers(tx, id);
		if (list) await writeNumbers(tx, id, packWatched(unpackWatched(list).filter((one) => one.key !== key)));
	}
}
