/**
 * Which tables the SQL in a source text names. Each table has one owning folder (`data/tables.json`); another folder may name it only where one
 * statement has to join it, and the list says why.
 *
 * Quirk: SQL is found in the text, by what stands before a table's name; comments do not count.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A table's owner, the other folders that name it in SQL, each with the reason, and whose rows it holds. */
export type TableEntry = {
	readonly owner: string;
	/** Why its rows are not of tenants. All other tables are of tenants. */
	readonly acrossTenants?: string;
	/** The column with the tenant, if it is not `tenant_id`. */
	readonly tenantColumn?: string;
	readonly alsoNamedBy?: Readonly<Record<string, string>>;
};

const DATABASE = "src/platform/database";
const naming = /\b(?:from|join|into|update|table|using)\s+(?:only\s+)?([a-z_]+)\b/g;

/** The tables of the baseline, each with the wing whose file creates it, and those that migrations leave of them. */
export function readTables(root: string): Map<string, string> {
	const tables = new Map<string, string>();
	for (const folder of ["schema", "migrations"]) {
		for (const name of readdirSync(join(root, DATABASE, folder)).sort()) {
			const text = readFileSync(join(root, DATABASE, folder, name), "utf8");
			const wing = /^\d\d_([a-z]+)\.sql$/.exec(name)?.[1] ?? "";
			for (const [, verb, table = ""] of text.matchAll(
				/^(create|drop) (?:unlogged )?table (?:if (?:not )?exists )?([a-z_]+)\b(?! partition of)/gm,
			))
				if (verb === "create") tables.set(table, wing);
				else tables.delete(table);
		}
	}
	return tables;
}

/** The column that holds the tenant of a table; undefined for a table whose rows are not of tenants. */
export function readTenantColumn(owners: Readonly<Record<string, TableEntry>>, table: string): string | undefined {
	const entry = owners[table];
	return entry && entry.acrossTenants === undefined ? (entry.tenantColumn ?? "tenant_id") : undefined;
}

/** The tables that a source text names in SQL. */
export function readTableUses(text: string, tables: { has(name: string): boolean }): Set<string> {
	const bare = text.replace(/^\s*(?:\*|\/\/|\/\*\*).*$/gm, "");
	const literals = [...bare.matchAll(/`(?:[^`\\]|\\.)*`|"(?:[^"\\\n]|\\.)*"/g)].map(([literal]) => literal);
	return new Set(
		literals.flatMap((literal) =>
			[...literal.matchAll(naming)].map(([, name = ""]) => name).filter((name) => tables.has(name)),
		),
	);
}

/** One sentence for every table without an owner or in another wing's file, every owner that is gone, and every use by a folder that is not listed. */
export function findTableViolations(
	owners: Readonly<Record<string, TableEntry>>,
	tables: ReadonlyMap<string, string>,
	uses: readonly { readonly path: string; readonly table: string }[],
): string[] {
	const without = [...tables.keys()].filter((table) => !owners[table]).map((table) => `${table} has no owner`);
	const misplaced = [...tables].flatMap(([table, wing]) => {
		const owner = owners[table]?.owner.split("/")[1];
		return wing && owner && wing !== owner ? [`${table} of ${owner} is created in the file of ${wing}`] : [];
	});
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
	return [
		...without,
		...misplaced,
		...gone,
		...strange.map(({ path, table }) => `${path} names ${table}`),
		...needless,
	];
}
