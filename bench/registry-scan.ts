/**
 * Searches by scanning every entry, and compares rows, order and end with the snapshot's search. It shares nothing with the index: names
 * come
 * from the entries, rules from the interface.
 */

import { entryAt } from "../src/registry/index/entries";
import type { Snapshot } from "../src/registry/index/open";
import { type SearchQuery, searchRows } from "../src/registry/index/search";
import { ACTIVE_STATUS } from "../src/registry/known-values";
import { canonicalWords, isLink, normaliseText } from "../src/registry/words";
import { makeQueries } from "./registry-queries";

const LIMIT = 25;
/** Other queries than the timed ones. */
const SEED = 11;

/** Throws at the first difference. */
export function compareWithScan(
	snapshot: Snapshot,
	count: number,
): { readonly compared: number; readonly hits: number } {
	const scan = createScan(snapshot);
	let hits = 0;
	makeQueries(snapshot, count, SEED).forEach((written, i) => {
		const text = canonicalWords(written).words.join(" ");
		const query: SearchQuery = {
			field: "name",
			text,
			limit: LIMIT,
			...(i % 7 === 3 ? { kind: "rnc" } : i % 7 === 5 ? { status: "SUSPENDIDO" } : {}),
		};
		const found = searchRows(snapshot, query, () => false);
		const all = scan(query);
		hits += all.length;
		const isSame = String(found.rows) === String(all.slice(0, LIMIT)) && found.more === all.length > LIMIT;
		if (!isSame) throw new Error(`the search for ${JSON.stringify(query)} differs from a scan of all entries`);
	});
	return { compared: count, hits };
}

/** Returns all matching rows, best first. */
function createScan(snapshot: Snapshot): (query: SearchQuery) => readonly number[] {
	const rows = Array.from({ length: snapshot.entryCount }, (_, row) => {
		const { rnc, name, status } = entryAt(snapshot, row);
		const { words, extras } = canonicalWords(name);
		const own = ` ${words.join(" ")}`;
		const found = `${own}${extras.map((extra) => ` ${extra}`).join("")}`;
		return { isCompany: rnc.length === 9, status, own, found, length: normaliseText(name).length };
	});
	return ({ text, kind, status }) => {
		const asked = text.split(" ");
		const needed = asked.filter((word) => !isLink(word));
		const words = (needed.length > 0 ? needed : asked).map((word) => ` ${word}`);
		const hits: { row: number; rank: number }[] = [];
		rows.forEach((entry, row) => {
			const { own, found } = entry;
			if (!words.every((word) => found.includes(word))) return;
			if (kind !== undefined && entry.isCompany !== (kind === "rnc")) return;
			if (status !== undefined && entry.status !== status) return;
			const hitClass = own === ` ${text}` ? 0 : own.startsWith(` ${text}`) ? 1 : 2;
			const isActive = entry.status === ACTIVE_STATUS;
			hits.push({ row, rank: (2 * hitClass + (isActive ? 0 : 1)) * 65_536 + entry.length });
		});
		// Rows ascend by number, and the sort is stable.
		return hits.sort((a, b) => a.rank - b.rank).map(({ row }) => row);
	};
}
