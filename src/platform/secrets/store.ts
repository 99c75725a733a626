/** SQL of persistent keys. */
import type { Sql } from "../database";

export async function selectKeptKey(sql: Sql, name: string): Promise<Buffer | undefined> {
	const [row] = await sql<
		{ sealedKey: Buffer }[]
	>`select sealed_key as "sealedKey" from kept_keys where name = ${name}`;
	return row?.sealedKey;
}

/** Returns the stored key: another process may have been faster. */
export async function insertKeptKey(sql: Sql, name: string, sealedKey: Uint8Array): Promise<Buffer> {
	await sql`insert into kept_keys (name, sealed_key) values (${name}, ${sealedKey}) on conflict (name) do nothing`;
	const kept = await selectKeptKey(sql, name);
	if (!kept) throw new Error(`the key ${name} was stored and is missing`);
	return kept;
}
