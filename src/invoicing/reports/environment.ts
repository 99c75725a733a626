/** Which of the authority's environments a report is of: each has reports of its own, of the documents that were issued in it. */
import type { Sql, Tx } from "../../platform/database";

/** As companies state them. */
export const AUTHORITY_ENVIRONMENTS = ["test", "certification", "production"] as const;
export type AuthorityEnvironment = (typeof AUTHORITY_ENVIRONMENTS)[number];

/** The one that a company issues in now: whose reports it is asked for when none is named. */
export async function findEnvironment(sql: Sql | Tx, tenantId: string): Promise<AuthorityEnvironment> {
	const [row] = await sql<{ environment: AuthorityEnvironment }[]>`
		select authority_environment as environment from companies where tenant_id = ${tenantId}`;
	if (!row) throw new Error(`expected a company ${tenantId}`);
	return row.environment;
}
