/** Gives the service's role what it needs and takes away what is too much; run by whoever owns the tables, after the migrations. */

import type { Sql, Tx } from "./connect";
import { LOCKS } from "./locks";

import { rightsOn, TABLE_RIGHTS, type TableRight } from "./written-once";

/** Rights of the role on the tables that belong to the owner of `schema_migrations`, in the schema of the connection. */
export async function grantRights(sql: Sql, role: string): Promise<void> {
	await sql.begin(async (tx) => {
		await tx`select pg_advisory_xact_lock(${LOCKS.serviceRole})`;
		const { schema, owner } = await readSchema(tx);
		const name = (text: string) => `"${text.replaceAll('"', '""')}"`;
		const grantee = name(role);
		const statements = [`grant usage on schema ${name(schema)} to ${grantee}`];
		const closable = await tx`
			select 1 from pg_namespace n where n.nspname = ${schema}
				and has_schema_privilege(${role}, n.oid, 'CREATE') and pg_has_role(n.nspowner, 'USAGE')`;
		if (closable.length > 0) statements.push(`revoke create on schema ${name(schema)} from public, ${grantee}`);
		for (const [table, held] of await readRights(tx, role, owner)) {
			const wanted = rightsOn(table);
			const lacking = wanted.filter((right) => !held.includes(right));
			const excess = held.filter((right) => !wanted.includes(right));
			if (lacking.length > 0) statements.push(`grant ${lacking.join(", ")} on ${name(table)} to ${grantee}`);
			if (excess.length > 0) statements.push(`revoke ${excess.join(", ")} on ${name(table)} from public, ${grantee}`);
		}
		for (const sequence of await findClosedSequences(tx, role, owner))
			statements.push(`grant usage, select on sequence ${sequence} to ${grantee}`);
		// Functions that act with their owner's rights are for the service alone.
		for (const signature of await findOwnersFunctions(tx, role, owner)) {
			statements.push(`revoke execute on function ${signature} from public`);
			statements.push(`grant execute on function ${signature} to ${grantee}`);
		}
		// For what a later migration makes; what is written once is taken out again behind it.
		statements.push(
			`alter default privileges in schema ${name(schema)} grant select, insert, update, delete on tables to ${grantee}`,
			`alter default privileges in schema ${name(schema)} grant usage, select on sequences to ${grantee}`,
		);
		await tx.unsafe(statements.join(";\n"));
	});
}

async function readSchema(tx: Tx): Promise<{ schema: string; owner: string }> {
	const [row] = await tx<{ schema: string; owner: string }[]>`
		select n.nspname::text as schema, r.rolname::text as owner
		from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_roles r on r.oid = c.relowner
		where c.oid = 'schema_migrations'::regclass`;
	if (!row) throw new Error("expected the table schema_migrations");
	return row;
}

/** What a role may do with each table of an owner, in the schema of the connection; on a column of it counts as on the table. */
export async function readRights(sql: Sql | Tx, role: string, owner: string): Promise<Map<string, TableRight[]>> {
	const rows = await sql<{ table: string; held: TableRight[] }[]>`
		select c.relname::text as "table", array(
			select p from unnest(${[...TABLE_RIGHTS]}::text[]) p
			where case when p in ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES')
				then has_table_privilege(${role}, c.oid, p) or has_any_column_privilege(${role}, c.oid, p)
				else has_table_privilege(${role}, c.oid, p) end
		) as held
		from pg_class c join pg_roles r on r.oid = c.relowner
		where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and r.rolname = ${owner}
		order by 1`;
	return new Map(rows.map(({ table, held }) => [table, held]));
}

async function findClosedSequences(tx: Tx, role: string, owner: string): Promise<string[]> {
	const rows = await tx<{ name: string }[]>`
		select c.oid::regclass::text as name from pg_class c
		where c.relnamespace = current_schema()::regnamespace and c.relkind = 'S' and pg_get_userbyid(c.relowner) = ${owner}
			and not (has_sequence_privilege(${role}, c.oid, 'USAGE') and has_sequence_privilege(${role}, c.oid, 'SELECT'))
		order by 1`;
	return rows.map(({ name }) => name);
}

/** Those that everybody may call, or the role may not. */
async function findOwnersFunctions(tx: Tx, role: string, owner: string): Promise<string[]> {
	const rows = await tx<{ signature: string }[]>`
		select p.oid::regprocedure::text as signature from pg_proc p
		where p.pronamespace = current_schema()::regnamespace and p.prosecdef and pg_get_userbyid(p.proowner) = ${owner}
			and (p.proacl is null or exists (select 1 from aclexplode(p.proacl) a where a.grantee = 0)
				or not has_function_privilege(${role}, p.oid, 'EXECUTE'))
		order by 1`;
	return rows.map(({ signature }) => signature);
}
