/**
 * The catalogue of a database against the schema files: these are installed in a schema of their own, in a transaction that is rolled back, and both
 * are read in the same form. Partitions of days, weeks and months are left out: the server keeps them like their tables.
 */
import type { Sql, Tx } from "./connect";
import { writeSchema } from "./migrate";

/** An object that is not as the files have it: what only the files say of it, and what only the database does. */
export type CatalogueDifference = {
	/** For example `table documents`, `function intake`. */
	readonly object: string;
	readonly difference: "missing" | "changed" | "extra";
	readonly expected: readonly string[];
	readonly found: readonly string[];
};

const SCRATCH = "sello_check";

/** For a connection of the tables' owner, which may create a schema. */
export async function compareCatalogue(sql: Sql): Promise<CatalogueDifference[]> {
	const undo = new Error("undo");
	let differences: CatalogueDifference[] = [];
	await sql
		.begin(async (tx) => {
			const found = await readCatalogue(tx);
			await tx.unsafe(`create schema ${SCRATCH}; set local search_path = ${SCRATCH}`);
			await tx.unsafe(writeSchema(SCRATCH));
			differences = compare(await readCatalogue(tx), found);
			throw undo;
		})
		.catch((error: unknown) => {
			if (error !== undo) throw error;
		});
	return differences;
}

type Catalogue = ReadonlyMap<string, readonly string[]>;

function compare(expected: Catalogue, found: Catalogue): CatalogueDifference[] {
	return [...new Set([...expected.keys(), ...found.keys()])].toSorted().flatMap((object) => {
		const [wanted = [], has = []] = [expected.get(object), found.get(object)];
		const lacking = wanted.filter((part) => !has.includes(part));
		const more = has.filter((part) => !wanted.includes(part));
		if (lacking.length === 0 && more.length === 0) return [];
		const difference = has.length === 0 ? "missing" : wanted.length === 0 ? "extra" : "changed";
		return [{ object, difference, expected: lacking, found: more }];
	});
}

/** Tables with columns, constraints and triggers, indexes, and functions of the current schema, without the order of columns. */
export async function readCatalogue(sql: Sql | Tx): Promise<Catalogue> {
	const rows = await sql<{ object: string; part: string; schema: string }[]>`
		with tables as (
			select oid, relname, relkind, reloptions, relpartbound from pg_class
			where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relname <> 'schema_migrations'
				and not (relispartition and relname ~ '_\\d{4}_\\d\\d(_\\d\\d)?$')
		), parts as (
			select 'table ' || relname as object,
				concat_ws(' ', 'table', relkind, pg_get_partkeydef(oid), pg_get_expr(relpartbound, oid), array(select unnest(reloptions) o order by o)) as part
			from tables
			union all select 'table ' || relname, concat_ws(' ', 'column', attname, format_type(atttypid, atttypmod), case when attnotnull then 'not null' end,
				attidentity, attgenerated, attstorage, nullif(attstattarget, -1), pg_get_expr(adbin, adrelid))
			from tables t join pg_attribute a on attrelid = t.oid left join pg_attrdef on adrelid = t.oid and adnum = attnum
			where attnum > 0 and not attisdropped
			union all select 'table ' || relname, concat_ws(' ', 'constraint', conname, pg_get_constraintdef(c.oid, true))
			from tables t join pg_constraint c on conrelid = t.oid
			union all select 'table ' || relname, concat_ws(' ', pg_get_triggerdef(g.oid, true), nullif(tgenabled, 'O'))
			from tables t join pg_trigger g on tgrelid = t.oid where not tgisinternal and tgparentid = 0
			union all select 'index ' || i.indexrelid::regclass, concat_ws(' ', pg_get_indexdef(indexrelid, 0, true), case when not indisvalid then 'invalid' end)
			from tables t join pg_index i on indrelid = t.oid
			union all select 'function ' || p.oid::regprocedure, pg_get_functiondef(p.oid) from pg_proc p
			where pronamespace = current_schema()::regnamespace and prokind <> 'a'
				and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
		)
		select object, part, current_schema()::text as schema from parts order by 1, 2`;
	const plain = (text: string, schema: string) =>
		text.replaceAll(`${schema}.`, "").replaceAll(`'${schema}'`, "'public'");
	const groups = Map.groupBy(rows, ({ object, schema }) => plain(object, schema));
	return new Map([...groups].map(([object, parts]) => [object, parts.map(({ part, schema }) => plain(part, schema))]));
}
