/** Collects what the oracle checks at the end of a run: outside ledgers and what the service has stored. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { connect, type Sql } from "../../src/platform/database";
import { allDeliveries } from "../../test/support/deliveries";
import { readPapers, readSendings, standings } from "../../test/support/documents";
import type { Ledger } from "../../test/support/ledger";
import type { ReceivedWebhook } from "../../test/support/ledger-receiver";
import type { HarnessTenant } from "../../test/support/tenants";
import { type Acknowledged, postOnce, sha256 } from "./client";
import type { ArchivedObject, Facts, Reception, Replay, StoredDocument } from "./oracle";

/** Where the evidence of a run is. */
export type Scene = {
	readonly databaseUrl: string;
	readonly archiveFolder: string;
	readonly serviceUrl: string;
	/** The simulator itself, not a proxy in front of it. */
	readonly simulatorUrl: string;
	readonly tenants: readonly HarnessTenant[];
	readonly acknowledged: Ledger<Acknowledged>;
	readonly webhooks: Ledger<ReceivedWebhook>;
};

/** Time limit until everything must be final. */
const PATIENCE_MS = 60_000;
/** Each poll reads index entries left by the kills, on a processor that the service shares. */
const LOOKS_EVERY_MS = 250;

/** Units: seconds until nothing is pending. Adds a violation if that is later than promised, or never. */
export async function waitUntilFinal(
	databaseUrl: string,
	promisedMs: number,
	violations: string[],
	patienceMs = PATIENCE_MS,
): Promise<number> {
	const from = performance.now();
	const elapsed = () => Math.round((performance.now() - from) / 100) / 10;
	return withDatabase(databaseUrl, async (sql) => {
		for (;;) {
			const [row] = await sql<{ left: number }[]>`
				select ${countUnfinished(sql)} + (select count(*) from outbox where ${isOpen(sql)})::int
					+ (select count(*) from ${allDeliveries(sql)} d where status in ('pending', 'failed'))::int as left`;
			if (row?.left === 0) break;
			if (elapsed() * 1000 > patienceMs) {
				const stuck = await sql`select * from outbox where ${isOpen(sql)} limit 5`;
				violations.push(`${row?.left} things are still pending, such as ${JSON.stringify(stuck)}`);
				break;
			}
			await Bun.sleep(LOOKS_EVERY_MS);
		}
		if (elapsed() * 1000 > promisedMs)
			violations.push(`it took ${elapsed()} s until all was final, more than ${promisedMs / 1000} s`);
		return elapsed();
	});
}

/** Documents that are not decided or not archived. They may have no message. */
const countUnfinished = (sql: Sql) => sql`(
	select count(*)::int from ${standings(sql)} i
	where status = 'pending' or not exists (select from seals s where s.tenant_id = i.tenant_id and s.doc_id = i.doc_id)
)`;

/** Messages that still have work to do. A dead-letter probe waits for an endpoint, and nothing waits for it. */
export const isOpen = (sql: Sql) => sql`state = 'ready' and kind <> 'webhook.probe'`;

/** Repeats every acknowledged request, then reads everything. */
export async function collectFacts(scene: Scene): Promise<Facts> {
	const acknowledged = scene.acknowledged.read();
	const replays = await replayAll(scene, acknowledged);
	const receptions = await readReceptions(scene.simulatorUrl);
	return withDatabase(scene.databaseUrl, async (sql) => ({
		acknowledged,
		replays,
		receptions,
		webhooks: scene.webhooks.read(),
		documents: await readDocuments(sql),
		archived: (
			await sql<{ docId: string; objectKey: string }[]>`
				select doc_id as "docId", sealed_object_key(tenant_id, doc_id, decided_at, sha256) as "objectKey" from seals`
		).map(({ docId, objectKey }) => ({ docId, entries: openObject(join(scene.archiveFolder, objectKey)) })),
	}));
}

async function readDocuments(sql: Sql): Promise<StoredDocument[]> {
	const rows = await sql<Pick<StoredDocument, "docId" | "rnc" | "encf" | "status">[]>`
		select i.doc_id as "docId", c.rnc, i.encf, i.status from ${standings(sql)} i join companies c using (tenant_id)`;
	const docIds = rows.map(({ docId }) => docId);
	const [papers, sendings] = [await readPapers(sql, docIds), await readSendings(sql, docIds)];
	return rows.map((row) => {
		const { ecf, summary } = papers.get(row.docId) ?? { ecf: "", summary: "" };
		return {
			...row,
			...{ ecfSha256: sha256(ecf), summarySha256: summary === "" ? null : sha256(summary) },
			...(sendings.get(row.docId) ?? { intents: 0, unasked: 0 }),
		};
	});
}

export async function readReceptions(simulatorUrl: string): Promise<Reception[]> {
	return (await (await fetch(`${simulatorUrl}/_simulator/receptions`)).json()) as Reception[];
}

const REPLAY_TRIES_MAX = 10;

async function replayAll({ serviceUrl, tenants }: Scene, acks: readonly Acknowledged[]): Promise<Replay[]> {
	const replays: Replay[] = [];
	for (const ack of acks) {
		const tenant = tenants.find((t) => t.tenantId === ack.tenantId);
		if (!tenant) throw new Error(`no tenant ${ack.tenantId}`);
		let answer = await postOnce(serviceUrl, tenant, ack.key, ack.body);
		// Overload is answered with 503, which every client repeats.
		for (let tries = 1; answer?.status === 503 && tries < REPLAY_TRIES_MAX; tries++) {
			await Bun.sleep(1_000);
			answer = await postOnce(serviceUrl, tenant, ack.key, ack.body);
		}
		replays.push({ docId: ack.docId, status: answer?.status, answerSha256: answer && sha256(answer.text) });
	}
	return replays;
}

/** Digests of an object's entries, read without code of the service. */
function openObject(path: string): ArchivedObject["entries"] {
	try {
		const entries = Object.entries(unzipSync(readFileSync(path)));
		return Object.fromEntries(entries.map(([name, bytes]) => [name, sha256(bytes)]));
	} catch {
		// Missing or torn: the oracle counts it.
		return undefined;
	}
}

/** A connection of the harness, separate from the service's. */
export async function withDatabase<T>(url: string, use: (sql: Sql) => Promise<T>): Promise<T> {
	const sql = connect({ url, name: "sello harness", connectionsMax: 2 });
	try {
		return await use(sql);
	} finally {
		await sql.end({ timeout: 2 });
	}
}
