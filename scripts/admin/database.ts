/** Operator command on the database itself. */

import { codeOf, compareCatalogue, connect, findEmbeddedOwnerUrl, findOwnerUrl } from "../../src/platform/database";
import { type Runs, UsageError } from "./command";

// Source: PostgreSQL, Appendix A.
const INSUFFICIENT_PRIVILEGE = "42501";

export const databaseCommands = {
	/** Exits with 1 if anything is not as the schema files have it. */
	"database check": async ({ config: { databaseMigrationUrl, databaseDirectUrl, databaseUrl, dataDir } }) => {
		const url = databaseMigrationUrl ?? databaseDirectUrl ?? databaseUrl ?? findEmbeddedOwnerUrl(dataDir);
		if (url === undefined) throw new UsageError(`no service runs on ${dataDir}`);
		const sql = connect({ url: await findOwnerUrl(url), name: "sello admin", connectionsMax: 1, isPatient: true });
		try {
			const differences = await compareCatalogue(sql);
			return { data: { differences }, exitCode: differences.length === 0 ? 0 : 1 };
		} catch (error) {
			if (codeOf(error) !== INSUFFICIENT_PRIVILEGE) throw error;
			throw new UsageError(
				`the check makes a schema in the database and undoes that, for which it needs the owner's login in DATABASE_MIGRATION_URL: ${(error as Error).message}`,
			);
		} finally {
			await sql.end({ timeout: 2 });
		}
	},
} satisfies Runs;
