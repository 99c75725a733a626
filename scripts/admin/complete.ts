/** Completes a database from the archive: the index, and the numbers of documents that the database has lost. */
import type { Config } from "../../src/app/config/config";
import { openArchive, RestoreRefusedError, restoreArchive } from "../../src/archive";
import type { Sql } from "../../src/platform/database";
import type { Environment } from "../../src/platform/values";
import { showObjects } from "./archive";

/** Completes the index, and verifies the whole archive. */
export async function completeFromArchive(sql: Sql, config: Config, environment: Environment) {
	const progress = showObjects(process.stderr);
	try {
		const archive = await openArchive(config.archiveUrl);
		const { restored, checkpoints, objects, verified, treeSize, faults } = await restoreArchive({
			sql,
			archive,
			environment,
			onProgress: progress.show,
		});
		return { restored, checkpoints, objects, verified, treeSize, faults };
	} catch (error) {
		if (!(error instanceof RestoreRefusedError)) throw error;
		return { refused: error.reason, faults: [] };
	} finally {
		progress.end();
	}
}

type Beyond = {
	readonly documents: number;
	readonly lastDecidedAt: string | null;
	/** Numbers that are taken from now on, by company and type: how many, and the highest. */
	readonly numbers: readonly {
		readonly tenantId: string;
		readonly type: string;
		readonly count: number;
		readonly highest: string;
	}[];
};

/** Takes the numbers of documents that were decided since then, and that the archive proves and the database lacks. A rejected one's may be used again. */
export async function takeBeyond(sql: Sql, since: Date): Promise<Beyond> {
	// Received documents and approvals are archived too; their numbers are of other issuers.
	const missing = sql`
		seals s where s.decided_at > ${since} and s.encf is not null and coalesce(s.status, '') not in ('received', 'approval')
			and not exists (select from documents d where d.tenant_id = s.tenant_id and d.doc_id = s.doc_id)`;
	await sql`
		insert into names (tenant_id, kind, name, doc_id)
		select s.tenant_id, left(c.authority_environment, 1)::"char", s.encf, s.doc_id
		from companies c join lateral (select s.* from ${missing}) s on s.tenant_id = c.tenant_id
		where s.status is distinct from 'rejected'
		on conflict do nothing`;
	const [row] = await sql<{ documents: number; last: Date | null }[]>`
		select count(*)::int as documents, max(s.decided_at) as last from ${missing}`;
	const numbers = await sql<Beyond["numbers"][number][]>`
		select s.tenant_id as "tenantId", s.type, count(*)::int as count, max(s.encf) as highest from ${missing} group by 1, 2 order by 1, 2`;
	return { documents: row?.documents ?? 0, lastDecidedAt: row?.last?.toISOString() ?? null, numbers: [...numbers] };
}
