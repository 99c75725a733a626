/** The stores that look up the same numbers, each returning the bytes of an answer. */
import { Database } from "bun:sqlite";
import type { RegistryEntry } from "../src/registry";
import { entryAt, entryBytesAt, findAddress } from "../src/registry/index/entries";
import type { Snapshot } from "../src/registry/index/open";

/** Returns the size of the answer in bytes. */
export type LookUp = (digits: string) => number;

export function openOurs(snapshot: Snapshot): LookUp {
	return (digits) => {
		const address = findAddress(snapshot, digits);
		return address === undefined ? 0 : entryBytesAt(snapshot, address).length;
	};
}

/** The obvious implementation. */
export function fillObjects(snapshot: Snapshot): LookUp {
	const entries = new Map<string, RegistryEntry>();
	for (const entry of entriesOf(snapshot)) entries.set(entry.rnc, entry);
	return (digits) => Buffer.from(JSON.stringify(entries.get(digits))).length;
}

/** The answers as ready texts. */
export function fillStrings(snapshot: Snapshot): LookUp {
	const entries = new Map<string, string>();
	for (const entry of entriesOf(snapshot)) entries.set(entry.rnc, JSON.stringify(entry));
	return (digits) => Buffer.from(entries.get(digits) ?? "").length;
}

/** A SQLite file with the answers as ready bytes, indexed by number. */
export function writeSqlite(snapshot: Snapshot, path: string): { readonly rows: number } {
	using database = new Database(path);
	database.run("PRAGMA journal_mode = OFF");
	database.run("CREATE TABLE entries (rnc TEXT PRIMARY KEY, answer BLOB NOT NULL) WITHOUT ROWID");
	const insert = database.query("INSERT INTO entries (rnc, answer) VALUES (?, ?)");
	database.transaction(() => {
		for (const entry of entriesOf(snapshot)) insert.run(entry.rnc, Buffer.from(JSON.stringify(entry)));
	})();
	return { rows: snapshot.entryCount };
}

export function openSqlite(path: string): LookUp {
	const database = new Database(path, { readonly: true });
	database.run("PRAGMA mmap_size = 4000000000");
	const find = database.query<{ answer: Uint8Array }, [string]>("SELECT answer FROM entries WHERE rnc = ?");
	return (digits) => find.get(digits)?.answer.length ?? 0;
}

function* entriesOf(snapshot: Snapshot): Generator<RegistryEntry> {
	for (let row = 0; row < snapshot.entryCount; row++) yield entryAt(snapshot, row);
}
