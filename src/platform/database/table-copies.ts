/**
 * Copies of all tables of a database, taken in one snapshot and put into an empty database of the same schema.
 *
 * The text form of COPY is the same in every version of PostgreSQL, so a copy may go to a newer server. Unlogged tables are left out: they hold what may be
 * lost. A copy needs the right to read alone; putting it back needs the owner of the tables, because triggers refuse written-once rows of another time.
 */
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { mayWaitOutside, type Sql, type Tx } from "./connect";
import { findApplied } from "./migrate";

export type TableShape = { readonly name: string; readonly columns: readonly string[] };
export type PartitionShape = {
	readonly name: string;
	readonly of: string;
	/** As `FOR VALUES FROM (…) TO (…)`. */
	readonly bounds: string;
	/** As `toast_tuple_target=8160`. */
	readonly options: readonly string[];
};

export type DatabaseShape = {
	/** Fingerprints of the schema's files by number, without the functions. */
	readonly schema: Readonly<Record<string, string>>;
	/** In an order in which the rows of each find those that they refer to. */
	readonly tables: readonly TableShape[];
	readonly partitions: readonly PartitionShape[];
	readonly sequences: readonly { readonly name: string; readonly value: number; readonly isUsed: boolean }[];
};

/** The target cannot take the copy; the message says why. */
export class TableCopyError extends Error {}

/** The tables of the migrations and of the shards' numbers have rows in an empty database. */
const NOT_COPIED = "schema_migrations";
const SEEDED = "shards";

/** Runs `read` on a snapshot of the whole database, with its shape and the time of the snapshot. */
export async function inSnapshot<T>(
	sql: Sql,
	read: (tx: Tx, shape: DatabaseShape, takenAt: Date) => Promise<T>,
): Promise<T> {
	await findApplied(sql);
	const result = await sql.begin("isolation level repeatable read read only", async (tx) => {
		await tx`set local statement_timeout = 0`;
		await mayWaitOutside(tx);
		const [row] = await tx<{ now: Date }[]>`select now()`;
		if (!row) throw new Error("expected a row without a table");
		return read(tx, await readShape(tx), row.now);
	});
	return result as T;
}

/** The rows of a table in the text form of COPY. */
export async function* copyOut(tx: Tx, { name, columns }: TableShape): AsyncGenerator<Uint8Array> {
	const list = columns.map(quote).join(", ");
	const rows = await tx.unsafe(`copy (select ${list} from ${quote(name)}) to stdout`).readable();
	yield* rows;
	// The driver pauses its socket when rows come faster than they are read, and an ended stream never asks for more.
	rows._read(0);
}

/**
 * Puts a copy into a database whose tables are empty, in one transaction. `rows` gives the bytes of a table in order. Returns the number of rows.
 * Throws: TableCopyError.
 */
export async function copyIn(
	owner: Sql,
	shape: DatabaseShape,
	rows: (table: string) => AsyncIterable<Uint8Array>,
): Promise<number> {
	const copied = await owner.begin(async (tx) => {
		await tx`set local statement_timeout = 0`;
		await mayWaitOutside(tx);
		const own = await readShape(tx);
		expectSameSchema(shape, own);
		for (const { name } of shape.tables) await expectEmpty(tx, name);
		for (const one of shape.partitions) await makePartition(tx, one);
		const names = own.tables.map(({ name }) => name);
		for (const name of names) await tx.unsafe(`alter table ${quote(name)} disable trigger user`);
		let count = 0;
		for (const table of shape.tables) count += await copyTable(tx, table, rows(table.name));
		// The constraints of foreign keys are checked now, because a table with checks to come cannot be altered.
		await tx`set constraints all immediate`;
		for (const name of names) await tx.unsafe(`alter table ${quote(name)} enable trigger user`);
		for (const { name, value, isUsed } of shape.sequences)
			await tx`select setval(${quote(name)}::regclass, ${value}, ${isUsed})`;
		return count;
	});
	await owner.unsafe("analyze");
	return copied;
}

async function copyTable(tx: Tx, { name, columns }: TableShape, rows: AsyncIterable<Uint8Array>): Promise<number> {
	if (name === SEEDED) await tx.unsafe(`delete from ${quote(name)}`);
	const list = columns.map(quote).join(", ");
	await pipeline(
		Readable.from(rows, { objectMode: false }),
		await tx.unsafe(`copy ${quote(name)} (${list}) from stdin`).writable(),
	);
	const [row] = await tx.unsafe<{ count: number }[]>(`select count(*) from ${quote(name)}`);
	return row?.count ?? 0;
}

function expectSameSchema(wanted: DatabaseShape, own: DatabaseShape): void {
	const sorted = (schema: DatabaseShape["schema"]) => JSON.stringify(Object.entries(schema).sort());
	if (sorted(wanted.schema) !== sorted(own.schema))
		throw new TableCopyError(
			"the backup is of another version of the service: restore it with the version that took it",
		);
}

async function expectEmpty(tx: Tx, name: string): Promise<void> {
	if (name === SEEDED) return;
	const found = await tx.unsafe(`select from ${quote(name)} limit 1`);
	if (found.length > 0) throw new TableCopyError(`the database is not empty: table ${name} has rows; create a new one`);
}

/** The rows of past months and weeks go to partitions of their own, as they were. */
async function makePartition(tx: Tx, { name, of, bounds, options }: PartitionShape): Promise<void> {
	const found = await tx`select from pg_class where oid = to_regclass(${quote(name)})`;
	if (found.length > 0) return;
	const storage = options.length === 0 ? "" : ` with (${options.join(", ")})`;
	await tx.unsafe(`create table ${quote(name)} partition of ${quote(of)} ${bounds}${storage}`);
	await tx`select sample_little(${quote(name)}::regclass)`;
}

async function readShape(tx: Tx): Promise<DatabaseShape> {
	const schema = await tx<{ number: number; fingerprint: string }[]>`
		select number, fingerprint from schema_migrations where number >= 1`;
	const tables = await tx<(TableShape & { readonly refersTo: readonly string[] })[]>`
		select c.relname::text as name,
			array(
				select a.attname::text from pg_attribute a
				where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum
			) as columns,
			array(
				select distinct r.relname::text from pg_constraint k join pg_class r on r.oid = k.confrelid
				where k.conrelid = c.oid and k.contype = 'f' and not r.relispartition and r.oid <> c.oid
			) as "refersTo"
		from pg_class c
		where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
			and c.relpersistence = 'p' and c.relname <> ${NOT_COPIED}
		order by 1`;
	const partitions = await tx<PartitionShape[]>`
		select c.relname::text as name, p.relname::text as "of", pg_get_expr(c.relpartbound, c.oid) as bounds,
			coalesce(array(select o from unnest(c.reloptions) o where o not like 'autovacuum%'), '{}') as options
		from pg_class c join pg_inherits i on i.inhrelid = c.oid join pg_class p on p.oid = i.inhparent
		where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relispartition order by 1`;
	const names = await tx<{ name: string }[]>`
		select relname::text as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'S' order by 1`;
	const sequences: DatabaseShape["sequences"][number][] = [];
	for (const { name } of names) {
		const [row] = await tx.unsafe<{ value: number; isUsed: boolean }[]>(
			`select last_value as value, is_called as "isUsed" from ${quote(name)}`,
		);
		if (row) sequences.push({ name, ...row });
	}
	return {
		schema: Object.fromEntries(schema.map(({ number, fingerprint }) => [number, fingerprint])),
		tables: inOrder(tables),
		partitions: [...partitions],
		sequences,
	};
}

/** Tables after those that they refer to. Throws an Error for a circle. */
function inOrder(tables: readonly (TableShape & { readonly refersTo: readonly string[] })[]): TableShape[] {
	const ordered: TableShape[] = [];
	const left = [...tables];
	while (left.length > 0) {
		const at = left.findIndex(({ refersTo }) => !left.some(({ name }) => refersTo.includes(name)));
		const [next] = left.splice(at, at < 0 ? 0 : 1);
		if (!next) throw new Error(`tables refer to each other: ${left.map(({ name }) => name).join(", ")}`);
		ordered.push({ name: next.name, columns: next.columns });
	}
	return ordered;
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
