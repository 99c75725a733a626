/**
 * The environment that a database belongs to. Messages do not name one: a sandbox worker would have its simulator accept production
 * invoices, and a production worker would send test invoices to the authority. So a database belongs to one environment for ever.
 */
import type { Environment } from "../values";
import type { Sql } from "./connect";

/** The database belongs to another environment; the message says what to do. */
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

/** Claims the database for the environment unless it belongs to one already. Throws: DatabaseEnvironmentError when that is another. */
export async function claimEnvironment(sql: Sql, environment: Environment): Promise<void> {
	await sql`insert into deployment (environment) values (${environment}) on conflict do nothing`;
	await checkEnvironment(sql, environment);
}

/** The same check for programs that only read. Throws: DatabaseEnvironmentError. */
export async function checkEnvironment(sql: Sql, environment: Environment): Promise<void> {
	const known = await findEnvironment(sql);
	if (known !== undefined && known !== environment) throw new DatabaseEnvironmentError(known, environment);
}

/** Undefined while nothing was issued or sent. */
export async function findEnvironment(sql: Sql): Promise<Environment | undefined> {
	const [row] = await sql<{ environment: Environment }[]>`select environment from deployment`;
	return row?.environment;
}
