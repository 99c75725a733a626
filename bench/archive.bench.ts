/**
 * Does archiving keep pace with issuing, and what does an archived document cost?
 *
 * Issuing is set up as in `issue`: a service with `ROLE=api` and its own PostgreSQL. Archiving is a second service with `ROLE=worker` on
 * the same
 * database: dispatcher, reading, sealing, the write-once file with its syncs, row and leaf. Each runs alone in turn. The issued documents
 * are
 * archived with an authority's answer each; every round decides them again, which creates new objects. While documents are issued the
 * worker is
 * stopped, and the submissions queued then are withdrawn.
 *
 * Then the steps alone, in this process: sealing, the file, the index with and without the proof.
 */
import { join } from "node:path";
import { insertArchiveObjects, type NewObject, openArchive, openSealed, sealDocument } from "../src/archive";
import { writeStep } from "../src/invoicing/invoices/model/steps";
import { findEmbeddedUrl, type Sql } from "../src/platform/database";
import { newId } from "../src/platform/values";
import { type BenchOptions, type Figure, newRounds, toCostFigure, toFigure } from "./bench";
import { makeFolder, startProgram } from "./child";
import { measureCpu } from "./cpu-time";
import { openDatabase } from "./fill-invoices";
import { type LoadQuestion, startLoad } from "./load";
import { measureInTurn } from "./measure";
import { registerCompanies, startService, toInvoiceRequest } from "./service";

export const question = "How many documents per second are archived, and does that keep pace with issuing?";
export const peer = "POST /v1/invoices, signed and durable, in the same rounds";

const CONNECTIONS = 120;
const COMPANIES = 8;
const WARM_UP_INVOICES = 10_000;
const ROUNDS = 5;
/** Target duration of a round's batch. */
const BATCH_SECONDS = 4;
const LOOK_EVERY_MS = 5;
/** The dispatcher's concurrency and the size of one statement. */
const AT_ONCE = 64;

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const archiveFolder = join(makeFolder(stack), "archive");
	const issuer = await startService(stack, { ROLE: "api", ARCHIVE_URL: archiveFolder });
	const databaseUrl = findEmbeddedUrl(issuer.dataDir);
	if (databaseUrl === undefined) throw new Error("the service has no database of its own");
	const sql = openDatabase(stack, issuer);
	const companies = await registerCompanies(issuer, smoke ? 2 : COMPANIES);
	const load = startLoad(stack);
	const requests = companies.map(toInvoiceRequest);
	let firstNumber = 1;
	const issue = async (until: Extract<LoadQuestion, { kind: "closed" }>["until"]) => {
		const plan = { url: issuer.url, requests, expectedStatus: 202, connections: CONNECTIONS, firstNumber };
		const result = await load.ask({ kind: "closed", plan, until } as LoadQuestion);
		firstNumber += result.startedAtMs.length;
		await withdrawSubmissions(sql);
		return result;
	};
	await issue({ requests: smoke ? 60 : WARM_UP_INVOICES });
	await giveAnswers(sql);
	const worker = await startProgram(stack, "src/main.ts", {
		...{ ROLE: "worker", PORT: "0", DATA_DIR: makeFolder(stack), KEK_FILE: join(issuer.dataDir, "kek") },
		...{ DATABASE_URL: databaseUrl, ARCHIVE_URL: archiveFolder },
	});
	stack.defer(() => void process.kill(worker.pid, "SIGCONT"));

	const archive = async ({ documents, wanted }: { readonly documents: number; readonly wanted: number }) => {
		const startedAt = performance.now();
		await sql`select pg_notify('outbox', '')`;
		for (;;) {
			const [row] = await sql<{ count: number }[]>`select count(*)::int as count from seals`;
			if ((row?.count ?? 0) >= wanted) break;
			await Bun.sleep(LOOK_EVERY_MS);
		}
		return { documents, perSecond: (documents * 1_000) / (performance.now() - startedAt) };
	};
	const warm = await archive(await decideAnew(sql, smoke ? 40 : WARM_UP_INVOICES));
	const batch = smoke ? 40 : Math.min(WARM_UP_INVOICES, Math.round(warm.perSecond * BATCH_SECONDS));
	const issued = newRounds("perSecond", "cpuMicros");
	const archived = newRounds("perSecond", "cpuMicros");
	for (let round = 0; round < (smoke ? 1 : ROUNDS); round++) {
		process.kill(worker.pid, "SIGSTOP");
		const one = await measureCpu(
			{ service: issuer.pid },
			() => issue(smoke ? { requests: 20 } : { seconds: BATCH_SECONDS }),
			({ startedAtMs }) => startedAtMs.length,
		);
		// Decided while the worker is paused: deciding is not part of archiving.
		const decided = await decideAnew(sql, batch);
		process.kill(worker.pid, "SIGCONT");
		issued.perSecond.push(one.result.perSecond);
		issued.cpuMicros.push(one.micros.service);
		// The database is a child of the issuing service, which is idle.
		const other = await measureCpu(
			{ worker: worker.pid, database: issuer.pid },
			() => archive(decided),
			({ documents }) => documents,
		);
		archived.perSecond.push(other.result.perSecond);
		archived.cpuMicros.push(other.micros.worker + other.micros.database);
	}
	const peer = "issuing";
	return [
		toFigure("issuing, signed and durable", "invoices/s", issued.perSecond),
		toFigure("archiving, sealed, synced and indexed", "documents/s", archived.perSecond, {
			against: { peer, rounds: issued.perSecond },
			target: "≥ 1",
		}),
		...toCostFigure("archiving, processor time with PostgreSQL", archived.cpuMicros, {
			peer,
			rounds: issued.cpuMicros,
		}),
		...(await measurePieces(sql, archiveFolder, smoke)),
	];
}

/** Withdraws the submissions queued meanwhile. */
async function withdrawSubmissions(sql: Sql): Promise<void> {
	await sql`delete from work_log`;
}

/** Adds what a decided document has: the authority's answer and its recorded transitions. */
async function giveAnswers(sql: Sql): Promise<void> {
	const body = JSON.stringify({ trackId: newId(), codigo: "1", estado: "Aceptado", mensajes: [] });
	const at = new Date().toISOString();
	const answer = { at, httpStatus: 200, mediaType: "application/json", body };
	const detail = "verdict 1";
	const steps = [
		writeStep({
			answers: [{ ...answer, operation: "submit" }],
			history: [{ version: 2, at, status: "pending", phase: "tracking", detail }],
		}),
		writeStep({
			answers: [{ ...answer, operation: "result" }],
			history: [{ version: 3, at, status: "accepted", phase: "decided", detail }],
		}),
	];
	for (const [i, step] of steps.entries())
		await sql`
			insert into steps (tenant_id, doc_id, n, body) select tenant_id, doc_id, ${i + 1}, ${Buffer.from(step)} from documents`;
	await sql`analyze`;
}

/** Decides documents now and requests archiving; returns their number and the expected number of leaves. */
async function decideAnew(sql: Sql, documents: number): Promise<{ documents: number; wanted: number }> {
	return sql.begin(async (tx) => {
		const [row] = await tx<{ count: number }[]>`
			select count(*)::int as count from seals`;
		// The same ones in each round, although a verdict is written once.
		await tx`set local session_replication_role = replica`;
		const decided = await tx`
			insert into verdicts (tenant_id, doc_id, decided_at, version, status, consumed, attempts, code)
			select tenant_id, doc_id, date_trunc('milliseconds', now()), 3, 'a', true, 1, '1' from documents order by doc_id limit ${documents}
			on conflict (tenant_id, doc_id) do update set decided_at = excluded.decided_at
			returning doc_id, tenant_id`;
		await tx`
			insert into outbox (id, kind, tenant_id, subject)
			select gen_random_uuid(), 'invoice.archive', tenant_id, doc_id
			from json_to_recordset(${JSON.stringify(decided)}::text::json) as d (doc_id uuid, tenant_id uuid)`;
		return { documents: decided.length, wanted: (row?.count ?? 0) + decided.length };
	});
}

/** Units: microseconds of this process for each document; elapsed time for statements. */
async function measurePieces(sql: Sql, archiveFolder: string, smoke: boolean): Promise<Figure[]> {
	const archive = await openArchive(archiveFolder);
	const [row] = await sql<{ key: string }[]>`
		select sealed_object_key(tenant_id, doc_id, decided_at, sha256) as key from seals limit 1`;
	if (!row) throw new Error("nothing was archived");
	const bytes = await archive.get(row.key);
	const entries = openSealed(bytes);
	const text = (name: string) => Buffer.from(entries[name] ?? []).toString();
	const answer = {
		...{ at: new Date(), operation: "result", httpStatus: 200, mediaType: "application/json" },
		body: text("answers/002-result.json"),
	};
	const parts = {
		...{ docId: newId(), tenantId: newId(), environment: "sandbox", encf: "E310000000001", type: "31" },
		...{ status: "accepted", decidedAt: new Date(), retainUntil: new Date(Date.now() + 3_155_760e5) },
		...{ ecf: entries["ecf.xml"] ?? new Uint8Array(), request: text("request.json"), answers: [answer, answer] },
		events: JSON.parse(text("events.json")) as Record<string, unknown>[],
	};
	await sql`create table bench_objects (like seals including all)`;
	const tenantIds = Array.from({ length: COMPANIES }, () => newId());
	const make = (): NewObject[] =>
		Array.from({ length: AT_ONCE }, (_, i) => {
			const [docId, tenantId] = [newId(), tenantIds[i % COMPANIES] ?? newId()];
			const times = { decidedAt: parts.decidedAt, retainUntil: parts.retainUntil };
			const object = { docId, tenantId, sha256: "ab".repeat(32) };
			return { ...object, ...times, bytes: bytes.length, versionId: null };
		});
	const put = () => archive.putOnce(`bench/2026/${newId()}.zip`, bytes, { retainUntil: parts.retainUntil });
	const { seal, file, files, plain, proven } = await measureInTurn(
		{
			seal: () => sealDocument(parts),
			file: put,
			files: () => Promise.all(Array.from({ length: AT_ONCE }, put)),
			plain: () => insertPlainly(sql, make()),
			proven: () => insertArchiveObjects(sql, make()),
		},
		{ rounds: smoke ? 1 : 5, seconds: smoke ? 0.1 : 1, warmUpSeconds: smoke ? 0.1 : 1 },
	);
	const micros = (perSecond: readonly number[], documents = 1) => perSecond.map((one) => 1e6 / one / documents);
	return [
		toFigure(`sealing ${(bytes.length / 1024).toFixed(1)} KiB`, "µs each", micros(seal.perSecond)),
		toFigure("write-once file, one at a time", "µs each", micros(file.perSecond)),
		toFigure(`write-once file, ${AT_ONCE} at a time`, "µs each", micros(files.perSecond, AT_ONCE)),
		toFigure(
			`write-once file, ${AT_ONCE} at a time, processor time`,
			"µs each",
			files.cpuMicros.map((one) => one / AT_ONCE),
		),
		toFigure(`index, ${AT_ONCE} rows without proof`, "µs each", micros(plain.perSecond, AT_ONCE)),
		toFigure(`index, ${AT_ONCE} rows with leaves and links`, "µs each", micros(proven.perSecond, AT_ONCE), {
			against: { peer: "without proof", rounds: micros(plain.perSecond, AT_ONCE), lessIsFaster: true },
		}),
	];
}

/** The row alone, without the proof. */
async function insertPlainly(sql: Sql, objects: readonly NewObject[]): Promise<void> {
	await sql`
		insert into bench_objects (tenant_id, doc_id, n, shard, leaf, link, link_hash, sha256, bytes, decided_at, retain_until)
		select g."tenantId", g."docId", 1, 0, 0, 0, decode(g.sha256, 'hex'), decode(g.sha256, 'hex'), g.bytes, g."decidedAt", g."retainUntil"
		from json_to_recordset(${JSON.stringify(objects)}::text::json) as g("docId" uuid, "tenantId" uuid,
			sha256 text, bytes int, "decidedAt" timestamptz, "retainUntil" timestamptz)
		on conflict (tenant_id, doc_id, n) do nothing`;
}
