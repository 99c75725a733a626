/** An empty database gets its index back from the archive's files alone: every document, in leaf order, with the same root. */

import { readRoot, rootOfLogs } from "../../../src/archive";
import { connect, migrate, type Sql } from "../../../src/platform/database";
import type { ScenarioContext } from "../run-scenarios";
import { type Environment, untilArchived, untilQuiet } from "./environment";
import { verify } from "./verify";

const DOCUMENTS = { full: 300, small: 20 };

export async function restoreScenario(context: ScenarioContext, environment: Environment) {
	const { violate, small } = context;
	await environment.wakeUp();
	const tenant = await environment.register();
	const docIds = await environment.issue(tenant, DOCUMENTS[small ? "small" : "full"]);
	await untilArchived(environment);
	await environment.checkpoint(tenant, docIds[0] ?? "");
	// These come after the last checkpoint, so no line of the store lists them.
	await environment.issue(tenant, 3);
	await untilArchived(environment);
	await untilQuiet(environment);
	const databaseUrl = await context.createDatabase();
	const over = { DATABASE_URL: databaseUrl, DATABASE_MIGRATION_URL: databaseUrl };
	const sql = connect({ url: databaseUrl, name: "scenario", connectionsMax: 1 });
	try {
		await migrate(sql);
		const { exitCode, data, complaint } = await environment.admin(["archive", "restore"], over);
		if (exitCode !== 0) violate(`restore ended with ${exitCode}: ${JSON.stringify(data)}${complaint}`);
		const [signed] = await environment.sql<{ size: number; sizes: number[]; root: string }[]>`
			select size::int as size, to_json(sizes) as sizes, encode(root, 'hex') as root from archive_checkpoints order by number desc limit 1`;
		const [size, sizes] = [signed?.size ?? 0, signed?.sizes ?? []];
		const [before, after] = [await readIndex(environment.sql, sizes), new Set(await readIndex(sql, sizes))];
		const differing = before.filter((row) => !after.has(row));
		if (before.length !== after.size || differing.length > 0)
			violate(`${before.length} rows became ${after.size}, ${differing.length} differ, such as ${differing[0]}`);
		const report = await verify({ admin: (args) => environment.admin(args, over) });
		if (report.exitCode !== 0)
			violate(
				`after the restore verify ended with ${report.exitCode}: ${JSON.stringify(report.report.faults.slice(0, 3))}`,
			);
		// Compares the last signed checkpoint with the restored tables at the same size.
		const states = await Promise.all(sizes.map(async (of, log) => ({ size: of, root: await readRoot(sql, log, of) })));
		const root = Buffer.from(rootOfLogs(states)).toString("hex");
		if (root !== signed?.root) violate(`the last checkpoint's root is ${signed?.root}, the restored one ${root}`);
		return {
			"rows of the index": before.length,
			"restored alike": before.length - differing.length,
			verified: report.report.verified,
			"leaves of the last checkpoint": size,
			"its root": root === signed?.root ? "equal" : "another",
			reported: data,
		};
	} finally {
		await sql.end({ timeout: 2 });
	}
}

/**
 * Each leaf with its object, and all inner hashes, without row times. Objects after the checkpoint are listed without order: the store does
 * not
 * record it.
 */
async function readIndex(sql: Sql, sizes: readonly number[]): Promise<string[]> {
	const rows = await sql<{ row: string }[]>`
		select (to_jsonb(s) - 'sealed_at' - case when s.leaf < l.size then '{}'::text[] else '{leaf,link,link_hash}'::text[] end)::text as row
		from seals s join unnest(${[...sizes]}::bigint[]) with ordinality l (size, place) on l.place - 1 = s.shard order by s.shard, s.leaf`;
	const nodes = await sql<{ row: string }[]>`
		select to_jsonb(n)::text as row from tree_nodes n join shards a using (anchor)
		join unnest(${[...sizes]}::bigint[]) with ordinality l (size, place) on l.place - 1 = a.shard
		where (n.node + 1) * (1::bigint << n.level) <= l.size`;
	return [...rows, ...nodes].map(({ row }) => row);
}
