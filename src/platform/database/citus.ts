/**
 * Citus: PostgreSQL whose tables lie on several nodes. `data/placements.json` says which table is where, by the name of the distribution column.
 *
 *   distributed   rows lie where the hash of that column says; all tables are divided alike, so a tenant's rows lie together
 *   reference     whole on each node: few rows that statements of all tenants join
 *   local         on the coordinator alone
 *
 * Model: the schema is made as on any server and then put in place, once. Tables with foreign keys move in one transaction, without these keys:
 * Citus would make tables that refer to a reference table local first, and cannot distribute such a table if it has an identity column. The keys are
 * made again at the end of it. All other tables move one by one, so that no transaction locks thousands of shards. What is in place is left out.
 *
 * Quirk: Citus finds the node of a statement by values that it knows when it plans. So its functions have conditions on the tenants that other
 * servers do not need and would pay for, and none has a generic plan. Their files hold these conditions as comments, `/*citus …*` + `/`.
 *
 * Source: docs.citusdata.com (stable, api_udf); github.com/citusdata/citus, create_distributed_table.c, foreign_constraint.c,
 * function_call_delegation.c; issues 7888 and 7008.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Sql, Tx } from "./connect";
import { LOCKS } from "./locks";

export type Engine = "postgres" | "citus";

/** The database is not what DATABASE_ENGINE says; the message says what to do. */
export class DatabaseEngineError extends Error {
	constructor(sentence: string) {
		super(sentence);
		this.name = "DatabaseEngineError";
	}
}

export type Placements = {
	/** Tables by distribution column. */
	readonly distributed: Readonly<Record<string, readonly string[]>>;
	readonly reference: readonly string[];
	readonly local: readonly string[];
	/** Functions that run on the node of one of their arguments, with its name. They take no lock that others take on the coordinator. */
	readonly delegated: Readonly<Record<string, string>>;
};

const PLACEMENTS = join(import.meta.dir, "../../../data/placements.json");
/** All others are divided like this one. */
const FIRST = "heads";
/** A divisor of the 64 logical shards, so that none of them is split. */
const SHARDS = 32;

export function readPlacements(): Placements {
	return JSON.parse(readFileSync(PLACEMENTS, "utf8")) as Placements;
}

/** Throws: DatabaseEngineError. */
export async function findEngine(sql: Sql, wanted: Engine | "auto"): Promise<Engine> {
	const [row] = await sql<{ hasCitus: boolean; isPlaced: boolean }[]>`
		select exists (select from pg_extension where extname = 'citus') as "hasCitus", to_regclass('pg_dist_partition') is not null as "isPlaced"`;
	if (wanted === "citus" && row?.hasCitus !== true)
		throw new DatabaseEngineError(
			"DATABASE_ENGINE=citus, but the database lacks the extension citus: create it as an administrator, or leave DATABASE_ENGINE out",
		);
	if (wanted === "postgres" && row?.isPlaced === true && (await listPlaced(sql)).has(FIRST))
		throw new DatabaseEngineError(
			"DATABASE_ENGINE=postgres, but Citus has distributed the tables of the database: leave DATABASE_ENGINE out",
		);
	return wanted === "auto" ? (row?.hasCitus === true ? "citus" : "postgres") : wanted;
}

/** The text of functions as Citus needs it. */
export function toCitus(text: string): string {
	return text
		.replaceAll(" set plan_cache_mode = 'force_generic_plan'", "")
		.replaceAll(/\/\*citus (.*?)\*\//g, (_, condition: string) => condition);
}

/** Puts tables and functions in their places, as far as they are not; the owner of the tables runs it after the migrations. */
export async function distribute(sql: Sql, placements = readPlacements()): Promise<void> {
	const connection = await sql.reserve();
	try {
		await connection`select pg_advisory_lock(${LOCKS.migrations})`;
		await connection.unsafe("set citus.enable_unsafe_triggers = on");
		await connection.unsafe("set citus.multi_shard_modify_mode = 'sequential'");
		const placed = await listPlaced(connection);
		const steps = listSteps(placements).filter(({ table }) => !placed.has(table));
		const moving = new Set(steps.map(({ table }) => table));
		const keys = (await listKeys(connection)).filter(({ from, to }) => moving.has(from) || moving.has(to));
		const isKeyed = ({ table }: Step) => keys.some(({ from, to }) => from === table || to === table);
		// The one that all others name has no keys, and comes first.
		for (const step of steps) if (!isKeyed(step)) await place(connection, step);
		await placeKeyed(connection, steps.filter(isKeyed), keys);
		await delegate(connection, placements);
	} finally {
		// The lock belongs to the session; a broken connection has released it already.
		await connection`select pg_advisory_unlock(${LOCKS.migrations})`.catch(() => undefined);
		connection.release();
	}
}

/** `column`: undefined for a reference table. */
type Step = { readonly table: string; readonly column: string | undefined };

function listSteps({ distributed, reference }: Placements): Step[] {
	const divided = Object.entries(distributed).flatMap(([column, tables]) => tables.map((table) => ({ table, column })));
	const [first, others] = [divided.filter(isFirst), divided.filter((step) => !isFirst(step))];
	return [...first, ...reference.map((table) => ({ table, column: undefined })), ...others];
}

const isFirst = ({ table }: Step): boolean => table === FIRST;

async function listPlaced(sql: Sql | Tx): Promise<Set<string>> {
	const rows = await sql<{ table: string }[]>`
		select c.relname::text as "table" from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
		where c.relnamespace = current_schema()::regnamespace`;
	return new Set(rows.map(({ table }) => table));
}

async function place(sql: Sql | Tx, { table, column }: Step): Promise<void> {
	const name = `"${table}"`;
	if (column === undefined) await sql`select create_reference_table(${name}::regclass)`;
	else if (table === FIRST)
		await sql`select create_distributed_table(${name}::regclass, ${column}, colocate_with => 'none', shard_count => ${SHARDS}::int)`;
	else await sql`select create_distributed_table(${name}::regclass, ${column}, colocate_with => ${FIRST})`;
}

type Key = { readonly name: string; readonly from: string; readonly to: string; readonly definition: string };

/** Foreign keys of tables, without those that partitions have from their tables. */
async function listKeys(sql: Sql | Tx): Promise<Key[]> {
	return sql<Key[]>`
		select k.conname::text as name, a.relname::text as from, b.relname::text as to, pg_get_constraintdef(k.oid) as definition
		from pg_constraint k join pg_class a on a.oid = k.conrelid join pg_class b on b.oid = k.confrelid
		where k.contype = 'f' and k.conparentid = 0 and k.connamespace = current_schema()::regnamespace order by a.relname, k.conname`;
}

async function placeKeyed(connection: Sql, steps: readonly Step[], keys: readonly Key[]): Promise<void> {
	await connection`begin`;
	try {
		for (const { name, from } of keys) await connection.unsafe(`alter table "${from}" drop constraint "${name}"`);
		for (const step of steps) await place(connection, step);
		for (const { name, from, definition } of keys)
			await connection.unsafe(`alter table "${from}" add constraint "${name}" ${definition}`);
		await connection`commit`;
	} catch (error) {
		await connection`rollback`;
		throw error;
	}
}

async function delegate(sql: Sql, { delegated }: Placements): Promise<void> {
	for (const [name, argument] of Object.entries(delegated))
		await sql`
			select create_distributed_function(p.oid::regprocedure, ${argument}, colocate_with => ${FIRST})
			from pg_proc p where p.pronamespace = current_schema()::regnamespace and p.proname = ${name} and not exists (
				select from pg_dist_object o
				where o.classid = 'pg_proc'::regclass and o.objid = p.oid and o.distribution_argument_index is not null
			)`;
}
