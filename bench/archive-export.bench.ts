/**
 * What does an export of many documents cost, and does its memory grow with them?
 *
 * A separate process makes each export from the same file archive and database: of all documents, and of a tenth of them. Unlike the
 * service's,
 * it does not pause between pages.
 */
import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { insertArchiveObjects, openArchive, toZip } from "../src/archive";
import type { Format } from "../src/archive/exports/export";
import { connect, prepareDatabase, type Sql, startEmbeddedPostgres } from "../src/platform/database";
import { newId } from "../src/platform/values";
import type { ExportAnswer, ExportQuestion } from "./archive-export.process";
import { type BenchOptions, type Figure, newRounds, toFigure } from "./bench";
import { makeFolder, startChild } from "./child";

export const question = "How long does an export of 20,000 documents take, and does its memory grow with their number?";
export const peer = "the same with a tenth of the documents";

const DOCUMENTS = 20_000;
const ROUNDS = 5;
const AT_ONCE = 250;
/** The size of a sealed document with ten lines. */
const OBJECT_BYTES = 6_000;
const FIRST_DAY = Date.parse("2026-01-01T12:00:00Z");

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const folder = makeFolder(stack);
	const postgres = await startEmbeddedPostgres(folder);
	stack.defer(postgres.stop);
	await prepareDatabase({ url: postgres.serviceUrl, migrationUrl: postgres.url, isStrict: true });
	const sql = connect({ url: postgres.serviceUrl, name: "bench", connectionsMax: 4 });
	stack.defer(() => sql.end({ timeout: 2 }));
	const [archiveFolder, exports] = [join(folder, "archive"), join(folder, "exports")];
	mkdirSync(exports);
	const documents = smoke ? 500 : DOCUMENTS;
	const tenantId = newId();
	// A tenth of them on the first day.
	await fill(sql, archiveFolder, tenantId, documents);
	// The company is alone in its log.
	const leafBound = documents;
	const make = async (format: Format, to: string): Promise<ExportAnswer> => {
		await using own = new AsyncDisposableStack();
		const child = startChild<ExportQuestion, ExportAnswer>(own, "archive-export.process.ts");
		const task = { id: newId(), tenantId, from: "2026-01-01", to, format, leafBound, docIds: null };
		return await child.ask({ databaseUrl: postgres.serviceUrl, archiveFolder, folder: exports, task });
	};
	const figures: Figure[] = [];
	for (const format of ["zip", "tar.zst"] as const) {
		const all = newRounds("perSecond", "cpuMicros", "growthMiB");
		const few = newRounds("growthMiB");
		for (let round = 0; round < (smoke ? 1 : ROUNDS); round++) {
			const one = await make(format, "2026-01-02");
			if (one.documents !== documents) throw new Error(`expected ${documents} documents, got ${one.documents}`);
			all.perSecond.push((one.documents * 1_000) / one.ms);
			all.cpuMicros.push((one.cpuMs * 1_000) / one.documents);
			all.growthMiB.push(one.peakMiB - one.beforeMiB);
			const tenth = await make(format, "2026-01-01");
			few.growthMiB.push(tenth.peakMiB - tenth.beforeMiB);
		}
		figures.push(
			toFigure(`${format}: documents`, "per second", all.perSecond),
			toFigure(`${format}: processor time`, "µs each", all.cpuMicros),
			toFigure(`${format}: memory beyond the loaded code`, "MiB", all.growthMiB, {
				against: { peer: "a tenth of them", rounds: few.growthMiB, lessIsFaster: true },
				target: "≥ 0.5",
			}),
		);
	}
	return figures;
}

async function fill(sql: Sql, archiveFolder: string, tenantId: string, documents: number): Promise<void> {
	const archive = await openArchive(archiveFolder);
	for (let n = 0; n < documents; n += AT_ONCE) {
		const objects = await Promise.all(
			Array.from({ length: AT_ONCE }, async (_, i) => {
				const decidedAt = new Date(FIRST_DAY + (n + i < documents / 10 ? 0 : 86_400_000) + n + i);
				const retainUntil = new Date(decidedAt.getTime() + 3_155_760e5);
				const bytes = toZip([["ecf.xml", crypto.getRandomValues(new Uint8Array(OBJECT_BYTES))]]);
				const sha256 = createHash("sha256").update(bytes).digest("hex");
				const docId = newId();
				const objectKey = `${tenantId}/2026/${docId}-${sha256.slice(0, 16)}.zip`;
				await archive.putOnce(objectKey, bytes, { retainUntil });
				return { docId, tenantId, objectKey, sha256, bytes: bytes.length, decidedAt, retainUntil, versionId: null };
			}),
		);
		await insertArchiveObjects(sql, objects);
	}
}
