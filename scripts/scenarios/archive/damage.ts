/**
 * Damages an archive with every right, behind the service's back: flips bits, removes, swaps and truncates objects, adds strange ones,
 * changes
 * and removes rows. The operator's verify command must name each, and nothing else.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Sql } from "../../../src/platform/database";
import type { ScenarioContext } from "../run-scenarios";
import { type Environment, openEnvironment, untilArchived } from "./environment";
import { fillArchive } from "./fill";
import { type Report, verify } from "./verify";

/** Swapped objects come in pairs. */
const SIZES = {
	full: { issued: 300, objects: 10_000, flipped: 1_000, removed: 100, swapped: 100, truncated: 100 },
	small: { issued: 20, objects: 500, flipped: 50, removed: 6, swapped: 6, truncated: 6 },
};

type Entry = { readonly key: string; readonly docId: string };

export async function damageScenario(context: ScenarioContext) {
	const { violate, small } = context;
	const { issued, objects, ...counts } = SIZES[small ? "small" : "full"];
	const environment = await openEnvironment(context);
	await environment.issue(await environment.register(), issued);
	await untilArchived(environment);
	await environment.stop();
	await fillArchive(environment, objects - issued);
	if (!small) judge(context, "before the damage", [], await verify(environment));

	const entries = await listInRandomOrder(environment.sql);
	const damage = breakObjects(environment, entries, counts);
	const broken = await verify(environment);
	const missed = judge(context, "after the damage", damage.broken, broken);
	damage.repair();
	judge(context, "after the repair", [], await verify(environment));

	const strange = await breakIndex(environment, entries);
	const report = await verify(environment);
	if (report.exitCode !== 1) violate(`verify ended with ${report.exitCode} for a changed index`);
	for (const { what, entry } of strange)
		if (!isNamed(report.report, entry)) violate(`${what} is not named: ${JSON.stringify(entry)}`);
	return {
		...{ objects, ...counts },
		...{ damaged: damage.broken.length, named: damage.broken.length - missed },
		"changes in index and folders": strange.map(({ what }) => what),
		"faults reported for them": report.report.faults.length,
	};
}

/** Checks that exactly the damaged objects are named with their documents; returns how many are not. */
function judge(
	{ violate }: ScenarioContext,
	when: string,
	expected: readonly Entry[],
	{ exitCode, report }: { readonly exitCode: number; readonly report: Report },
): number {
	if (exitCode !== (expected.length > 0 ? 1 : 0)) violate(`${when} verify ended with ${exitCode}`);
	const named = new Set(report.faults.map(({ docId, key }) => `${docId} ${key}`));
	const wanted = new Set(expected.map(({ docId, key }) => `${docId} ${key}`));
	const missed = [...wanted].filter((one) => !named.has(one));
	for (const one of missed) violate(`${when} ${one} is not named`);
	const falsely = report.faults.filter(({ docId, key }) => !wanted.has(`${docId} ${key}`));
	for (const one of falsely) violate(`${when} verify reports ${JSON.stringify(one)}`);
	return missed.length;
}

function breakObjects(
	{ archiveFolder }: Environment,
	entries: readonly Entry[],
	counts: { flipped: number; removed: number; swapped: number; truncated: number },
) {
	const originals = new Map<string, Buffer>();
	const broken: Entry[] = [];
	const take = (count: number) => {
		const taken = entries.slice(broken.length, broken.length + count);
		broken.push(...taken);
		return taken.map(({ key }) => {
			const path = join(archiveFolder, key);
			const bytes = readFileSync(path);
			originals.set(path, bytes);
			return { path, bytes };
		});
	};
	for (const { path, bytes } of take(counts.flipped)) {
		const changed = Buffer.from(bytes);
		const at = upTo(bytes.length);
		changed[at] = (changed[at] ?? 0) ^ (1 << upTo(8));
		writeFileSync(path, changed);
	}
	for (const { path } of take(counts.removed)) rmSync(path);
	const swapped = take(counts.swapped);
	for (const [i, { path }] of swapped.entries()) writeFileSync(path, swapped[i ^ 1]?.bytes ?? "");
	for (const { path, bytes } of take(counts.truncated)) writeFileSync(path, bytes.subarray(0, upTo(bytes.length)));
	return {
		broken,
		repair: () => {
			for (const [path, bytes] of originals) writeFileSync(path, bytes);
		},
	};
}

type Change = { readonly what: string; readonly entry: { readonly docId?: string; readonly key?: string } };

/** One index fault of each kind, made as table owner with triggers off, and objects missing from the index. */
async function breakIndex({ sql, archiveFolder }: Environment, entries: readonly Entry[]): Promise<Change[]> {
	const [copied, leaf, link, digest, tenant, until, ...others] = entries;
	const bare = await sql<{ docId: string }[]>`
		select s.doc_id as "docId" from seals s
		where not exists (select from documents d where d.tenant_id = s.tenant_id and d.doc_id = s.doc_id)`;
	// The object of a document that is there may pass for one that is being archived.
	const row = others.find(({ docId }) => bare.some((one) => one.docId === docId));
	if (!copied || !leaf || !link || !digest || !row || !tenant || !until) throw new Error("there is nothing to change");
	const copy = join(dirname(copied.key), `${crypto.randomUUID()}-0123456789abcdef.zip`);
	writeFileSync(join(archiveFolder, copy), readFileSync(join(archiveFolder, copied.key)));
	const strangeId = crypto.randomUUID();
	const zeros = `decode(repeat('00', 32), 'hex')`;
	await asOwner(sql, [
		`update tree_blocks b set hashes = overlay(hashes placing ${zeros} from (s.leaf % 16)::int * 32 + 1)
			from seals s join shards a using (shard) where s.doc_id = '${leaf.docId}' and b.anchor = a.anchor and b.block = s.leaf >> 4`,
		`update seals set link_hash = ${zeros} where doc_id = '${link.docId}'`,
		`update seals set sha256 = ${zeros} where doc_id = '${digest.docId}'`,
		`delete from seals where doc_id = '${row.docId}'`,
		`update seals set retain_until = decided_at + interval '1 day' where doc_id = '${until.docId}'`,
		`update seals set doc_id = '${strangeId}' where doc_id = '${tenant.docId}'`,
	]);
	return [
		{ what: "a strange object", entry: { key: copy } },
		{ what: "a leaf's hash", entry: leaf },
		{ what: "a chain's link", entry: link },
		{ what: "a row's digest", entry: digest },
		{ what: "a removed row", entry: row },
		// As above.
		{ what: "a row's document", entry: { key: tenant.key, docId: strangeId } },
		{ what: "a shortened retention", entry: until },
	];
}

/** Bypasses the database's rules as a superuser with triggers off. */
export function asOwner(sql: Sql, statements: readonly string[]): Promise<unknown> {
	return sql.begin(async (tx) => {
		await tx`set local session_replication_role = replica`;
		for (const statement of statements) await tx.unsafe(statement);
	});
}

function isNamed({ faults }: Report, entry: Change["entry"]): boolean {
	return faults.some((fault) => (entry.key !== undefined && fault.key === entry.key) || fault.docId === entry.docId);
}

async function listInRandomOrder(sql: Sql): Promise<Entry[]> {
	return sql<
		Entry[]
	>`select sealed_object_key(tenant_id, doc_id, decided_at, sha256) as key, doc_id as "docId" from seals order by random()`;
}

const upTo = (count: number) => Math.floor(Math.random() * count);
