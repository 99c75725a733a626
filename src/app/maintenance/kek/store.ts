/** SQL of kept keys and of sealed columns. */
import type { Sql, Tx } from "../../../platform/database";
import type { SealedColumn } from "./sealed-columns";

export async function selectKeptKey(sql: Sql, name: string): Promise<Buffer | undefined> {
	const [row] = await sql<
		{ sealedKey: Buffer }[]
	>`select sealed_key as "sealedKey" from kept_keys where name = ${name}`;
	return row?.sealedKey;
}

/** Answers what is kept then: another process may have been faster. */
export async function insertKeptKey(sql: Sql, name: string, sealedKey: Uint8Array): Promise<Buffer> {
	await sql`insert into kept_keys (name, sealed_key) values (${name}, ${sealedKey}) on conflict (name) do nothing`;
	const kept = await selectKeptKey(sql, name);
	if (!kept) throw new Error(`the key ${name} was kept and is not there`);
	return kept;
}

export type SealedRow = {
	readonly at: string;
	readonly place: Readonly<Record<string, string>>;
	readonly sealed: Buffer;
};

/**
 * Locks some rows whose secret is not under a key-encryption key, told by the first bytes of its digest: in the order of their own names, as
 * everybody locks several endpoints. None is passed over: two rounds that find nothing are the end of the other key.
 */
export async function lockRowsUnderOthers(
	tx: Tx,
	{ table, column, place, writtenBy }: SealedColumn,
	id: Uint8Array,
	limit: number,
): Promise<SealedRow[]> {
	const members = place.names.map((name) => tx`${name}::text, ${tx(name)}::text`);
	const [own = ""] = place.names.slice(-1);
	const object = members.reduce((all, one) => tx`${all}, ${one}`);
	return tx<SealedRow[]>`
		select ctid::text as at, json_build_object(${object}) as place, ${tx(column)} as sealed from ${tx(table)}
		where ${tx(column)} is not null and substring(${tx(column)} from 2 for 8) <> ${id}
		order by ${tx(own)} limit ${limit} ${writtenBy === undefined ? tx`for update` : tx``}`;
}

/** Whether a column holds secrets, and whether one of them is under a key-encryption key of these. */
export async function tellKeysOf(
	sql: Sql,
	{ table, column }: SealedColumn,
	ids: readonly Uint8Array[],
): Promise<{ readonly hasSecrets: boolean; readonly hasTheirs: boolean }> {
	const id = sql`substring(${sql(column)} from 2 for 8)`;
	const theirs = ids.reduce((any, one) => sql`${any} or ${id} = ${one}`, sql`false`);
	const [row] = await sql<{ hasSecrets: boolean; hasTheirs: boolean }[]>`
		select exists (select 1 from ${sql(table)} where ${sql(column)} is not null) as "hasSecrets",
			exists (select 1 from ${sql(table)} where ${theirs}) as "hasTheirs"`;
	if (!row) throw new Error("expected a row without a table");
	return row;
}

/** Writes secrets of locked rows. */
export async function updateSealed(
	tx: Tx,
	{ table, column, place, writtenBy }: SealedColumn,
	rows: readonly (Pick<SealedRow, "at" | "place"> & { readonly sealed: Uint8Array })[],
): Promise<void> {
	if (writtenBy !== undefined) {
		const [name = ""] = place.names;
		for (const row of rows) await tx`select ${tx(writtenBy)}(${row.place[name] ?? ""}, ${Buffer.from(row.sealed)})`;
		return;
	}
	await tx`
		update ${tx(table)} t set ${tx(column)} = decode(g.sealed, 'hex')
		from unnest(${rows.map(({ at }) => at)}::text[], ${rows.map(({ sealed }) => Buffer.from(sealed).toString("hex"))}::text[]) as g(at, sealed)
		where t.ctid = g.at::tid`;
}
