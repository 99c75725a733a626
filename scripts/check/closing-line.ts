/** Reads the counts that `bun test` prints at its end, and writes the last line of `check`. */

export type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number };

/**
 * The counts of a test run, read from its whole output. An error outside of any test counts as a failure, a planned test as skipped. A run
 * that failed without a failed test, or printed no summary, counts as one failure.
 */
export function readCounts(output: string, exitCode: number): Counts {
	const text = Bun.stripANSI(output);
	const passed = count(text, "pass");
	const skipped = count(text, "skip") + count(text, "todo");
	const failed = count(text, "fail") + count(text, "error");
	const isSilent = passed + failed + skipped === 0;
	return { passed, skipped, failed: failed === 0 && (exitCode !== 0 || isSilent) ? 1 : failed };
}

/** The names of skipped and planned tests. */
export function readSkipped(output: string): string[] {
	const text = Bun.stripANSI(output);
	return [...text.matchAll(/^\((?:skip|todo)\) (.+)$/gm)].map((match) => match[1] ?? "");
}

/** Starts the line in which a test file says why it skips tests. */
export const SKIP_MARK = "skipping tests: ";

/** The line above the results of each file, with or without colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes start with one.
export const FILE_LINE = /^(?:\u001b\[[\d;]*m)*[\w./-]+\.test\.ts:(?:\u001b\[[\d;]*m)*$/gm;

/** How many tests were skipped for each reason. A file that gives several reasons counts under all of them together. */
export function countSkipsByReason(output: string): Map<string, number> {
	const counts = new Map<string, number>();
	for (const section of Bun.stripANSI(output).split(FILE_LINE)) {
		const skipped = readSkipped(section).length;
		const reasons = [...section.matchAll(new RegExp(`^${SKIP_MARK}(.+)$`, "gm"))].map(([, reason = ""]) => reason);
		const reason = [...new Set(reasons)].sort().join("; ") || "no reason given";
		if (skipped > 0) counts.set(reason, (counts.get(reason) ?? 0) + skipped);
	}
	return counts;
}

/** The number of files in a test run. */
export function readFileCount(output: string): number {
	const [, files = "0"] = [...Bun.stripANSI(output).matchAll(/^Ran \d+ tests? across (\d+) files?\./gm)].at(-1) ?? [];
	return Number(files);
}

export function sumCounts(all: readonly Counts[]): Counts {
	const sum = (of: (counts: Counts) => number) => all.reduce((total, counts) => total + of(counts), 0);
	return {
		passed: sum((counts) => counts.passed),
		failed: sum((counts) => counts.failed),
		skipped: sum((counts) => counts.skipped),
	};
}

export function closingLine({ passed, failed, skipped }: Counts): string {
	return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** Reads the last summary only, because a test may print such lines too. */
function count(text: string, word: string): number {
	const start = [...text.matchAll(/^ *\d+ pass$/gm)].at(-1)?.index ?? text.length;
	const match = new RegExp(`^ *(\\d+) ${word}s?$`, "m").exec(text.slice(start));
	return Number(match?.[1] ?? 0);
}
