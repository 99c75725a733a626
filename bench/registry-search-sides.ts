/** The engines that run the same searches for words in names, each for at most 25 rows. */
import { Database } from "bun:sqlite";
import { Index } from "flexsearch";
import { entryAt } from "../src/registry/index/entries";
import { TEXT_FIELDS, type TextField } from "../src/registry/index/format";
import type { Snapshot } from "../src/registry/index/open";
import { searchRows } from "../src/registry/index/search";
import { canonicalWords, normaliseText } from "../src/registry/words";

const LIMIT = 25;
const noErased = () => false;

/** Returns the number of rows found. */
export type Search = (text: string) => number;

export function openOurs(snapshot: Snapshot): Search {
	return (written) => {
		const { words, form } = canonicalWords(written);
		const query = {
			field: "name" as const,
			text: words.join(" "),
			...(form === undefined ? {} : { form }),
			limit: LIMIT,
		};
		return searchRows(snapshot, query, noErased).rows.length;
	};
}

export function fillFlexSearch(snapshot: Snapshot, field: TextField = "name"): Search {
	const index = new Index({ tokenize: "forward" });
	for (const [row, value] of foldedValues(snapshot, field).entries()) index.add(row, value);
	return (text) => index.search(text, { limit: LIMIT }).length;
}

/** Indexes all text fields; returns the time once the values are in memory. */
export function buildFlexSearch(snapshot: Snapshot): { readonly ms: number } {
	const values = TEXT_FIELDS.map((field) => foldedValues(snapshot, field));
	const from = performance.now();
	const indexes = values.map((list) => {
		const index = new Index({ tokenize: "forward" });
		for (const [row, value] of list.entries()) index.add(row, value);
		return index;
	});
	const ms = performance.now() - from;
	if (indexes.length !== TEXT_FIELDS.length) throw new Error("an index is missing");
	return { ms };
}

/** A SQLite full-text index with prefixes of three and four letters. */
export function writeFts5(snapshot: Snapshot, path: string): { readonly rows: number } {
	using database = new Database(path);
	database.run("PRAGMA journal_mode = OFF");
	database.run("CREATE VIRTUAL TABLE names USING fts5(name, content = '', prefix = '3 4')");
	const insert = database.query("INSERT INTO names (rowid, name) VALUES (?, ?)");
	database.transaction(() => {
		for (const [row, value] of foldedValues(snapshot, "name").entries()) insert.run(row, value);
	})();
	database.run("INSERT INTO names (names) VALUES ('optimize')");
	return { rows: snapshot.entryCount };
}

/** `order` is the sort order of SQLite: none, or its rank (BM25). */
export function openFts5(path: string, order: "unranked" | "bm25"): Search {
	const database = new Database(path, { readonly: true });
	database.run("PRAGMA mmap_size = 4000000000");
	const sorting = order === "bm25" ? "ORDER BY rank" : "";
	const find = database.query(`SELECT rowid FROM names WHERE names MATCH ? ${sorting} LIMIT ${LIMIT}`);
	return (text) =>
		find.values(
			text
				.split(" ")
				.map((word) => `"${word}"*`)
				.join(" "),
		).length;
}

function foldedValues(snapshot: Snapshot, field: TextField): string[] {
	return Array.from({ length: snapshot.entryCount }, (_, row) => normaliseText(entryAt(snapshot, row)[field]));
}
