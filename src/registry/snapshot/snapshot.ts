/**
 * All entries of one ingest run, indexed for look-up and search. Immutable but for one thing: an entry can be erased.
 */
import { ACTIVE_STATUS, type RegistryEntry } from "../entry";
import { normaliseText } from "../normalise";
import { breathe } from "./breathe";
import { buildTextIndex, type TextIndex } from "./text-index";

export const TEXT_FIELDS = ["name", "trade_name", "economic_activity"] as const;
export type TextField = (typeof TEXT_FIELDS)[number];

export type Snapshot = {
	/** Row → entry, ascending by document number; undefined once erased. */
	readonly entries: (RegistryEntry | undefined)[];
	/** Row → document number, ascending. An erased row holds its neighbour's, which keeps the order. */
	readonly documents: string[];
	readonly rowOf: Map<string, number>;
	readonly fields: Readonly<Record<TextField, TextIndex>>;
};

/** Indexes entries that ascend by document number without repetition. Gives way to other work while it runs. */
export async function buildSnapshot(entries: readonly RegistryEntry[]): Promise<Snapshot> {
	const rowOf = new Map<string, number>();
	const documents: string[] = [];
	for (const [row, entry] of entries.entries()) {
		if (row > 0 && (documents[row - 1] ?? "") >= entry.rnc)
			throw new Error(`row ${row} of the snapshot is out of order`);
		rowOf.set(entry.rnc, row);
		documents.push(entry.rnc);
		if (row % 20_000 === 0) await breathe();
	}
	// Activities repeat by the thousand: each is folded once.
	const folded = new Map<string, string>();
	const foldOnce = (text: string): string => {
		const known = folded.get(text);
		if (known !== undefined) return known;
		const result = normaliseText(text);
		folded.set(text, result);
		return result;
	};
	const index = (field: TextField, fold: (text: string) => string) =>
		buildTextIndex(entries.length, (row) => {
			const entry = entries[row];
			return { folded: fold(entry?.[field] ?? ""), active: entry?.status === ACTIVE_STATUS };
		});
	const fields = {
		name: await index("name", normaliseText),
		trade_name: await index("trade_name", normaliseText),
		economic_activity: await index("economic_activity", foldOnce),
	};
	return { entries: [...entries], documents, rowOf, fields };
}

export function lookupEntry(snapshot: Snapshot, digits: string): RegistryEntry | undefined {
	const row = snapshot.rowOf.get(digits);
	return row === undefined ? undefined : snapshot.entries[row];
}

/** Takes an entry out of memory, number and texts; the words it was made of stay in the dictionary, tied to nobody. */
export function eraseEntry(snapshot: Snapshot, digits: string): void {
	const row = snapshot.rowOf.get(digits);
	if (row === undefined) return;
	snapshot.rowOf.delete(digits);
	snapshot.entries[row] = undefined;
	// Rows that were erased before and lean on this one must not keep its number alive.
	const neighbour = snapshot.documents[row - 1] ?? "";
	for (let i = row; snapshot.documents[i] === digits; i++) snapshot.documents[i] = neighbour;
	for (const field of TEXT_FIELDS) snapshot.fields[field].values[row] = "";
}

/** Erases every entry that `isErased` names. Gives way to other work while it runs. */
export async function sweepSnapshot(snapshot: Snapshot, isErased: (digits: string) => boolean): Promise<void> {
	for (const [row, entry] of snapshot.entries.entries()) {
		if (entry && isErased(entry.rnc)) eraseEntry(snapshot, entry.rnc);
		if (row % 5_000 === 0) await breathe();
	}
}
