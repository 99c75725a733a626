/**
 * Of which environment a database is. Messages do not say where they belong: a worker of a sandbox would have its simulator accept what
 * production has issued, and one of production would send the authority what was made up. So one environment is all that a database ever has.
 */
import type { Environment } from "../values";
import type { Sql } from "./connect";

/** The database belongs to another environment; the message tells the operator what to do. */
export class DatabaseEnvironmentError extends Error {
	constructor(
		readonly expected: string,
		readonly got: Environment,
	) {
		super(
			`the database is of the environment ${expected}, this process is ${got}: set ENVIRONMENT=${expected}, or give it a database of its own`,
		);
		this.name = "DatabaseEnvironmentError";
	}
}

/** Makes the database one of the environment, unless it is of one already. Throws: DatabaseEnvironmentError where that is another. */
export async function claimEnvironment(sql: Sql, environment: Environment): Promise<void> {
	await sql`insert into deployment (environment) values (${environment}) on conflict do nothing`;
	await checkEnvironment(sql, environment);
}

/** For whoever only looks on. Throws: DatabaseEnvironmentError. */
export async function checkEnvironment(sql: Sql, environment: Environment): Promise<void> {
	const known = await findEnvironment(sql);
	if (known !== undefined && known !== environment) throw new DatabaseEnvironmentError(known, environment);
}

/** Undefined where nothing was issued or sent yet, and in a database from before it was written down. */
export async function findEnvironment(sql: Sql): Promise<Environment | undefined> {
	const [table] = await sql<{ isThere: boolean }[]>`select to_regclass('deployment') is not null as "isThere"`;
	if (!table?.isThere) return undefined;
	const [row] = await sql<{ environment: Environment }[]>`select environment from deployment`;
	return row?.environment;
}
