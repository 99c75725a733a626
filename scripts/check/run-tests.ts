/**
 * Runs all tests, shared out among processes that run at the same time: each is a `bun test` of its own, with its own database
 * server, service and S3 server, and takes every n-th file in the order of their paths. So the files of a process run one
 * after another as in a run of one process, and what two processes share is the machine alone.
 *
 * `bun test --parallel` would hand files out as they are done with, but runs what the preloaded file has to do at the end after
 * every file, and so stops and makes a database server for each of them: twice the processor time on small files.
 */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { type Counts, countSkipsByReason, FILE_LINE, readCounts, readFileCount, sumCounts } from "./closing-line";
import { runBun } from "./run-tool";

/** More do not come: each process holds servers and a service, and its tests start further ones. */
const PROCESSES_MAX = 4;

/** As many processes as there are cores, up to a bound. */
export function countProcesses(cores = availableParallelism()): number {
	return Math.max(1, Math.min(cores, PROCESSES_MAX));
}

/** Runs the tests in so many processes; shows their output file by file, and after it how many were skipped for which reason. */
export async function runTests(root: string, processes: number): Promise<Counts> {
	const shards = Array.from({ length: processes }, (_, index) => `${index + 1}/${processes}`);
	const runs = await Promise.all(shards.map((shard) => runShard(root, shard)));
	for (const [reason, skipped] of countSkipsByReason(runs.map(({ output }) => output).join("\n")))
		console.log(`${skipped} skipped: ${reason}`);
	return sumCounts([...runs.map((run) => run.counts), countMissing(root, runs)]);
}

/** Each process lists the files for itself, so what they took together is compared with what is there: one failure where it differs. */
function countMissing(root: string, runs: readonly { readonly files: number }[]): Counts {
	const there = [...new Bun.Glob("**/*.test.ts").scanSync(join(root, "test"))].length;
	const taken = runs.reduce((total, { files }) => total + files, 0);
	if (taken !== there) console.log(`the processes ran ${taken} files of tests, and ${there} are there`);
	return { passed: 0, failed: taken === there ? 0 : 1, skipped: 0 };
}

async function runShard(root: string, shard: string): Promise<{ counts: Counts; output: string; files: number }> {
	const shown = showByFile((text) => void process.stdout.write(text));
	// No test measures time: the limit only ends one that hangs, on machines that may be slow and shared.
	const { exitCode, output } = await runBun(root, ["test", "--timeout", "120000", `--shard=${shard}`], shown.add);
	shown.end();
	return { counts: readCounts(output, exitCode), output, files: readFileCount(output) };
}

/** Passes the output of a test run on one whole file at a time, so that runs which print at the same time do not mix their lines. */
export function showByFile(write: (text: string) => void): { add: (text: string) => void; end: () => void } {
	let waiting = "";
	const pass = (length: number) => {
		if (length > 0) write(waiting.slice(0, length));
		waiting = waiting.slice(length);
	};
	return {
		add: (text) => {
			waiting += text;
			pass([...waiting.matchAll(FILE_LINE)].at(-1)?.index ?? 0);
		},
		end: () => pass(waiting.length),
	};
}
