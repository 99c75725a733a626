/** Makes one export and tells what it took: in a process of its own, whose memory is nobody else's. */

import { openArchive } from "../src/archive";
import { type Task, writeExport } from "../src/archive/exports/make-export";
import { connect } from "../src/platform/database";
import { readPeakMiB } from "../test/support/process-memory";
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
	/** Before, with all code loaded, and the most of it all. */
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
	await writeExport({ sql, archive, rest: async () => undefined }, folder, task, async (made, appear) => {
		({ documents, bytes } = made);
		await appear();
	});
	const { user, system } = process.cpuUsage(cpu);
	await sql.end();
	const ms = performance.now() - startedAt;
	return { documents, ms, cpuMs: (user + system) / 1_000, bytes, beforeMiB, peakMiB: readPeakMiB(process.pid) };
});
