/**
 * Which tables the SQL in a source text names. Each table has one owning folder (`data/tables.json`); another folder may name it only where one
 * statement has to join it, and the list says why.
 *
 * Quirk: SQL is found in the text, by what stands before a table's name; comments do not count.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A table's owner, and the other folders that name it in SQL, each with the reason. */
export type TableEntry = { readonly owner: string; readonly alsoNamedBy?: Readonly<Record<string, string>> };

const MIGRATIONS = "src/platform/database/migrations";
const naming = /\b(?:from|join|into|update|table|using)\s+(?:only\s+)?([a-z_]+)\b/g;

/** The tables that all migrations together leave in the database. */
export function readTables(root: string): Set<string> {
	const folder = join(root, MIGRATIONS);
	const tables = new Set<string>();
	for (const name of readdirSync(folder).sort()) {
		const text = readFileSync(join(folder, name), "utf8");
		for (const [, verb, table = ""] of text.matchAll(/\b(create|drop) table (?:if (?:not )?exists )?([a-z_]+)/g))
			if (verb === "create") tables.add(table);
			else tables.delete(table);
	}
	return tables;
}

/** The tables that a source text names in SQL. */
export function readTableUses(text: string, tables: ReadonlySet<string>): Set<string> {
	const bare = text.replace(/^\s*(?:\*|\/\/|\/\*\*).*$/gm, "");
	const literals = [...bare.matchAll(/`(?:[^`\\]|\\.)*`|"(?:[^"\\\n]|\\.)*"/g)].map(([literal]) => literal);
	return new Set(
		literals.flatMap((literal) =>
			[...literal.matchAll(naming)].map(([, name = ""]) => name).filter((name) => tables.has(name)),
		),
	);
}

/** One sentence for every table without an owner, every owner that is gone, and every use by a folder that is not listed. */
export function findTableViolations(
	owners: Readonly<Record<string, TableEntry>>,
	tables: ReadonlySet<string>,
	uses: readonly { readonly path: string; readonly table: string }[],
): string[] {
	const without = [...tables].filter((table) => !owners[table]).map((table) => `${table} has no owner`);
	const gone = Object.keys(owners)
		.filter((table) => !tables.has(table))
		.map((table) => `${table} does not exist`);
	const strange = uses.filter(({ path, table }) => {
		const { owner = "", alsoNamedBy = {} } = owners[table] ?? {};
		return ![owner, ...Object.keys(alsoNamedBy)].some((folder) => path.startsWith(`${folder}/`));
	});
	const needless = Object.entries(owners).flatMap(([table, { alsoNamedBy = {} }]) =>
		Object.keys(alsoNamedBy)
			.filter((folder) => !uses.some((use) => use.table === table && use.path.startsWith(`${folder}/`)))
			.map((folder) => `${folder} no longer names ${table}`),
	);
	return [...without, ...gone, ...strange.map(({ path, table }) => `${path} names ${table}`), ...needless];
}
