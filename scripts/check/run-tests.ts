/**
 * Runs all tests in several `bun test` processes at once. Each has its own database server, service and S3 server, and takes every n-th
 * file in the order of their paths.
 *
 * Decision: not `bun test --parallel`, which runs the preloaded file's clean-up after every file and so starts a database server for each:
 * twice the processor time on small files.
 */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { type Counts, countSkipsByReason, FILE_LINE, readCounts, readFileCount, sumCounts } from "./closing-line";
import { runBun } from "./run-tool";

/** The limit: each process holds servers and a service, and its tests start more. */
const PROCESSES_MAX = 4;

/** One process more than there are cores, up to the limit: tests wait for services and clocks about half of their time. */
export function countProcesses(cores = availableParallelism()): number {
	return Math.min(cores + 1, PROCESSES_MAX);
}

/** Runs the tests; shows their output file by file, then the number of skipped tests for each reason. */
export async function runTests(root: string, processes: number): Promise<Counts> {
	const shards = Array.from({ length: processes }, (_, index) => `${index + 1}/${processes}`);
	const runs = await Promise.all(shards.map((shard) => runShard(root, shard)));
	for (const [reason, skipped] of countSkipsByReason(runs.map(({ output }) => output).join("\n")))
		console.log(`${skipped} skipped: ${reason}`);
	return sumCounts([...runs.map((run) => run.counts), countMissing(root, runs)]);
}

/** Each process lists the files itself, so their total is compared with the files on disk: one failure when it differs. */
function countMissing(root: string, runs: readonly { readonly files: number }[]): Counts {
	const there = [...new Bun.Glob("**/*.test.ts").scanSync(join(root, "test"))].length;
	const taken = runs.reduce((total, { files }) => total + files, 0);
	if (taken !== there) console.log(`the processes ran ${taken} test files of ${there}`);
	return { passed: 0, failed: taken === there ? 0 : 1, skipped: 0 };
}

async function runShard(root: string, shard: string): Promise<{ counts: Counts; output: string; files: number }> {
	const shown = showByFile((text) => void process.stdout.write(text));
	// No test measures time. The limit only ends one that hangs, and machines may be slow and shared.
	const { exitCode, output } = await runBun(root, ["test", "--timeout", "120000", `--shard=${shard}`], shown.add);
	shown.end();
	return { counts: readCounts(output, exitCode), output, files: readFileCount(output) };
}

/** Passes on the output of a test run file by file, so that runs in parallel do not mix their lines. */
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
