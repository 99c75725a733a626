/**
 * An attacker with every right rewrites the archive's history consistently: objects, rows, leaves, all hashes of tree and chains, and the
 * leaf
 * lines in the store. The signature under a checkpoint cannot be forged, so the signed history stays known.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sql, Tx } from "../../../src/platform/database";
import type { ScenarioContext } from "../run-scenarios";
import { type Environment, untilArchived, untilQuiet } from "./environment";
import { FORGERIES, type Forger, type Past } from "./forgeries";
import { findChanges, listObjects, readHoldings } from "./holdings";
import { type Report, verify } from "./verify";

const SIZES = { full: { rounds: 20, documents: 300 }, small: { rounds: 2, documents: 20 } };
const LINES = /^proof\/leaves\/(\d\d)\/(\d{12})-(\d{12})\.jsonl$/;
/** How verify reports a history that differs from the signed one. */
const IS_CONTRADICTION = /checkpoint/;

export async function historyScenario(context: ScenarioContext, environment: Environment) {
	const { violate, small } = context;
	const { sql, archiveFolder } = environment;
	const { rounds, documents } = SIZES[small ? "small" : "full"];
	await environment.wakeUp();
	const tenant = await environment.register();
	const [docId = ""] = await environment.issue(tenant, documents);
	await untilArchived(environment);
	await untilQuiet(environment);
	await environment.checkpoint(tenant, docId);
	await environment.stop();
	const kept = await verify(environment);
	if (kept.exitCode !== 0)
		violate(`before anything is forged verify ended with ${kept.exitCode}: ${describe(kept.report)}`);
	const before = await readHoldings(environment);
	const lines = listObjects(archiveFolder).filter((key) => LINES.test(key));
	if (lines.length === 0) violate("no checkpoint has written the leaves down");
	const originals = new Map(lines.map((key) => [key, readFileSync(join(archiveFolder, key))]));
	const past = await readPast(sql);

	let found = 0;
	const reported = new Set<string>();
	for (let round = 0; round < rounds; round++) {
		const [name, forge] = FORGERIES[round % FORGERIES.length] ?? ["nothing", (same: Past) => same];
		const written: string[] = [];
		const forger: Forger = {
			read: (key) => readFileSync(join(archiveFolder, key)),
			write: (key, bytes) => {
				written.push(key);
				writeFileSync(join(archiveFolder, key), bytes);
			},
		};
		const forged = forge(past, Math.floor(Math.random() * (past.length / 2)), forger);
		await sql.begin((tx) => makePast(tx, forged));
		for (const key of lines) rewriteLines(archiveFolder, key, forged, await readChainIndexes(sql));
		const { exitCode, report } = await verify(environment);
		const contradictions = report.faults.filter(({ fault }) => IS_CONTRADICTION.test(fault));
		for (const { fault } of contradictions) reported.add(fault);
		if (exitCode === 1 && contradictions.length > 0) found++;
		else violate(`${name}: verify ended with ${exitCode} and reported ${describe(report)}`);
		for (const key of written) rmSync(join(archiveFolder, key));
		for (const [key, bytes] of originals) writeFileSync(join(archiveFolder, key), bytes);
		await sql.begin((tx) => makePast(tx, past));
	}
	for (const change of findChanges(before, await readHoldings(environment)))
		violate(`the true past did not come back: ${change}`);
	// The same rows and objects were verified before.
	if (!small) {
		const after = await verify(environment);
		if (after.exitCode !== 0)
			violate(`with the true past verify ended with ${after.exitCode}: ${describe(after.report)}`);
	}
	return { leaves: past.length, "pasts rewritten": rounds, kinds: FORGERIES.length, found, reported: [...reported] };
}

async function readPast(sql: Sql): Promise<Past> {
	const rows = await sql<{ row: Past[number] }[]>`
		select to_jsonb(s) || jsonb_build_object('object_key', sealed_object_key(tenant_id, doc_id, decided_at, sha256)) as row
		from seals s order by shard, leaf`;
	return rows.map(({ row }) => row);
}

/** Rewrites the tables: rows in this order, and all hashes that follow from them. */
async function makePast(tx: Tx, past: Past): Promise<void> {
	await tx`set local session_replication_role = replica`;
	await tx`truncate seals, seal_chains, tree_blocks, tree_nodes`;
	const next = new Map<number, number>();
	const objects = past.map((one) => {
		const leafIndex = next.get(one.shard) ?? 0;
		next.set(one.shard, leafIndex + 1);
		const { encf = null, type = null, status = null, version_id: versionId = null } = one;
		return {
			...{ tenantId: one.tenant_id, docId: one.doc_id, sha256: one.sha256.slice(2), bytes: one.bytes, leafIndex },
			...{ decidedAt: one.decided_at, retainUntil: one.retain_until, versionId, encf, type, status },
		};
	});
	await tx`select count(*) from append_seals(${JSON.stringify(objects)}::text::json)`;
	// What a restored past had beside its hashes.
	await tx`
		update seals s set sealed_at = (row ->> 'sealed_at')::timestamptz from json_array_elements(${JSON.stringify(past)}::text::json) row
		where s.tenant_id = (row ->> 'tenant_id')::uuid and s.doc_id = (row ->> 'doc_id')::uuid`;
}

async function readChainIndexes(sql: Sql): Promise<Map<string, number>> {
	const rows = await sql<{ objectKey: string; chainIndex: number }[]>`
		select sealed_object_key(tenant_id, doc_id, decided_at, sha256) as "objectKey", link as "chainIndex" from seals`;
	return new Map(rows.map(({ objectKey, chainIndex }) => [objectKey, chainIndex]));
}

/** Rewrites the checkpoint lines in the store to match the forged history. */
function rewriteLines(archiveFolder: string, key: string, past: Past, chainIndexes: ReadonlyMap<string, number>): void {
	const [, log = "0", first = "0", last = "0"] = LINES.exec(key) ?? [];
	const ofLog = past.filter(({ shard }) => shard === Number(log));
	const lines = ofLog.slice(Number(first), Number(last) + 1).map((one, i) => {
		const [decidedAt, retainUntil] = [new Date(one.decided_at), new Date(one.retain_until)];
		return {
			...{
				log: Number(log),
				leafIndex: Number(first) + i,
				tenantId: one.tenant_id,
				chainIndex: chainIndexes.get(one.object_key) ?? 0,
			},
			...{ docId: one.doc_id, objectKey: one.object_key, sha256: one.sha256.slice(2), bytes: one.bytes },
			...{ decidedAt, retainUntil },
		};
	});
	writeFileSync(join(archiveFolder, key), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

function describe({ faults }: Report): string {
	return JSON.stringify(faults.slice(0, 3));
}
