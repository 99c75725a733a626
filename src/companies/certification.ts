/** Whether a company may go to the authority's production environment. */
import type { Sql } from "../database";
import { Problem } from "../problem";

/** Whether a company has passed the authority's test set. */
export type HasPassedTestSet = (tenantId: string) => Promise<boolean>;

/** Asks the records of test sets; a database without any says that none was passed. */
export function createHasPassedTestSet(sql: Sql): HasPassedTestSet {
	return async (tenantId) => {
		const [known] = await sql`select 1 from pg_tables where schemaname = current_schema() and tablename = 'test_sets'`;
		if (!known) return false;
		const passed = await sql`
			select 1 from test_sets where tenant_id = ${tenantId} and mode = 'authority' and status = 'passed' limit 1`;
		return passed.length > 0;
	};
}

export function certificationMissing(): Problem {
	const detail = "The authority's production environment needs a passed certification test set.";
	return new Problem("tenant-config-missing", {
		detail,
		extensions: { missing: ["certification"], fix: "/v1/check-set-tests" },
	});
}
