/** Makes one export and reports its cost, in a separate process to measure its memory. */

import { openArchive } from "../src/archive";
import { type Task, writeExport } from "../src/archive/exports/make-export";
import { connect } from "../src/platform/database";
import { readPeakMiB } from "../test/support/process-memory";
import { NO_INVOICES } from "../test/support/sealed-documents";
import { answerQuestions } from "./answer";

export type ExportQuestion = {
	readonly databaseUrl: string;
	readonly archiveFolder: string;
	readonly folder: string;
	readonly task: Task;
};
export type ExportAnswer = {
	readonly documents: number;
	readonly ms: number;
	readonly cpuMs: number;
	readonly bytes: number;
	/** Memory with all code loaded, before the export; the peak. */
	readonly beforeMiB: number;
	readonly peakMiB: number;
};

answerQuestions<ExportQuestion, ExportAnswer>(async ({ databaseUrl, archiveFolder, folder, task }) => {
	const sql = connect({ url: databaseUrl, name: "bench", connectionsMax: 2 });
	const archive = await openArchive(archiveFolder);
	await sql`select 1`;
	const beforeMiB = readPeakMiB(process.pid);
	const startedAt = performance.now();
	const cpu = process.cpuUsage();
	let [documents, bytes] = [0, 0];
	await writeExport(
		{ sql, archive, invoices: NO_INVOICES, rest: async () => undefined, isLastAttempt: true },
		folder,
		task,
		async (made, appear) => {
			({ documents, bytes } = made);
			await appear();
		},
	);
	const { user, system } = process.cpuUsage(cpu);
	await sql.end();
	const ms = performance.now() - startedAt;
	return { documents, ms, cpuMs: (user + system) / 1_000, bytes, beforeMiB, peakMiB: readPeakMiB(process.pid) };
});
