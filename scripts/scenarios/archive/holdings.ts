/** Everything in an archive, read directly: files from disk, rows from tables. */
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Sql } from "../../../src/platform/database";

/** Objects and rows by key, with digests of their contents. */
export type Holdings = ReadonlyMap<string, string>;

/** Write-once tables and their key columns. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
	seals: ["tenant_id", "doc_id", "n"],
	tree_nodes: ["anchor", "level", "node"],
	archive_keys: ["number"],
	archive_checkpoints: ["number"],
};
const TEMPORARY = ".temporary";

export async function readHoldings({
	sql,
	archiveFolder,
}: {
	readonly sql: Sql;
	readonly archiveFolder: string;
}): Promise<Holdings> {
	const held = new Map<string, string>();
	for (const key of listObjects(archiveFolder)) held.set(`object ${key}`, describeFile(join(archiveFolder, key)));
	for (const [table, names] of Object.entries(TABLES)) {
		const rows = await readRows(sql, table, names);
		for (const { name, row } of rows) held.set(`${table} ${name}`, row);
	}
	return held;
}

/** Keys of all objects on disk, whatever the index says. */
export function listObjects(archiveFolder: string): string[] {
	return readdirSync(archiveFolder, { recursive: true, withFileTypes: true })
		.filter((entry) => !entry.isDirectory())
		.map((entry) => relative(archiveFolder, join(entry.parentPath, entry.name)))
		.filter((key) => !key.startsWith(TEMPORARY))
		.sort();
}

/** Objects of documents, without the proof's own files. */
export function listSealed(archiveFolder: string): string[] {
	return listObjects(archiveFolder).filter((key) => /^[0-9a-f-]{36}\/\d{4}\/[^/]+\.zip$/.test(key));
}

export function listDrafts(archiveFolder: string): string[] {
	return readdirSync(join(archiveFolder, TEMPORARY));
}

/** Objects and rows that are gone or changed. New ones are no change. */
export function findChanges(before: Holdings, after: Holdings): string[] {
	return [...before].flatMap(([name, was]) => {
		const is = after.get(name);
		if (is === was) return [];
		return [is === undefined ? `${name} is gone` : `${name} was ${was} and is ${is}`];
	});
}

function describeFile(path: string): string {
	const { mode, size } = lstatSync(path);
	return `${(mode & 0o7777).toString(8)} ${size} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`;
}

async function readRows(sql: Sql, table: string, names: readonly string[]): Promise<{ name: string; row: string }[]> {
	const [found] = await sql<{ is: boolean }[]>`select to_regclass(${table}) is not null as is`;
	if (!found?.is) return [];
	const rows = await sql<{ row: Readonly<Record<string, unknown>> }[]>`select to_jsonb(t) as row from ${sql(table)} t`;
	return rows.map(({ row }) => ({ name: names.map((name) => row[name]).join("/"), row: JSON.stringify(row) }));
}
