import type { Sql } from "./connect";

/** How many connections the server gives to this login in this database at most, whoever else has some of them. */
export async function countAllowed(sql: Sql): Promise<number> {
	// PostgreSQL 15 knows no `reserved_connections`; limits of -1 are none.
	const [row] = await sql<{ allowed: number }[]>`
		select least(
			current_setting('max_connections')::int
				- current_setting('superuser_reserved_connections')::int
				- coalesce(current_setting('reserved_connections', true), '0')::int,
			(select nullif(rolconnlimit, -1) from pg_roles where rolname = session_user),
			(select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as allowed`;
	return row?.allowed ?? 0;
}
