/**
 * The file `RUN.refused.ndjson` beside the snapshots: lines of a run's source that could not be read, for the operator.
 *
 *   {"run_id":"…","cleared_of":"…"}                                              which erasures the file was cleared of
 *   {"reason":"column-count","line":7,"found":"12 columns, expected 11","text":"…"}   one for each line
 *
 * A line that contains an erased number is left out when the file is written, and removed by rewriting the file after an erasure.
 */
import { closeSync, openSync, readFileSync, readSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { IsErased } from "../index/index";
import type { RefusedLine } from "./source/parse";

type Head = { readonly run_id: string; readonly cleared_of: string };
export type RefusedLines = { readonly runId: string; readonly lines: readonly RefusedLine[] };

const HEAD_BYTES = 512;

export function writeRefusedLines(
	path: string,
	{ runId, lines }: RefusedLines,
	isErased: IsErased | undefined,
	clearedOf: string,
): void {
	const head: Head = { run_id: runId, cleared_of: clearedOf };
	const shown = isErased ? lines.filter(({ text }) => !holdsErased(text, isErased)) : lines;
	const written = [head, ...shown].map((one) => `${JSON.stringify(one)}\n`).join("");
	writeFileSync(path, written, { mode: 0o600, flag: "wx" });
}

/** Throws an Error if there is no such file, or if it is damaged. */
export function readRefusedLines(path: string): RefusedLines {
	const [head, ...lines] = readFileSync(path, "utf8")
		.split("\n")
		.filter((line) => line !== "")
		.map((line) => JSON.parse(line) as unknown);
	return { runId: (head as Head).run_id, lines: lines as RefusedLine[] };
}

/** Rewrites the file without lines that contain an erased number; removes it if it cannot be read. */
export function clearRefusedLines(path: string, temporaryPath: string, isErased: IsErased, clearedOf: string): void {
	try {
		writeRefusedLines(temporaryPath, readRefusedLines(path), isErased, clearedOf);
		renameSync(temporaryPath, path);
	} catch {
		rmSync(path, { force: true });
	}
}

/** Whether the file is known to hold none of the numbers that the fingerprint identifies, or is gone. */
export function isClearedOf(path: string, fingerprint: string): boolean {
	const bytes = Buffer.alloc(HEAD_BYTES);
	let file: number | undefined;
	try {
		file = openSync(path, "r");
		const [line = ""] = bytes.toString("utf8", 0, readSync(file, bytes)).split("\n", 1);
		return (JSON.parse(line) as Head).cleared_of === fingerprint;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "ENOENT";
	} finally {
		if (file !== undefined) closeSync(file);
	}
}

/** Digits as a number may be written, with hyphens and spaces between them. */
const digitRuns = /[0-9](?:[- ]*[0-9])*/g;

/** Whether 9 or 11 successive digits of the text are an erased number. A refused line may have it anywhere, next to other digits. */
export function holdsErased(text: string, isErased: IsErased): boolean {
	for (const [written] of text.matchAll(digitRuns)) {
		const digits = written.replace(/[- ]/g, "");
		for (const length of [9, 11]) {
			for (let at = 0; at + length <= digits.length; at++) if (isErased(digits.slice(at, at + length))) return true;
		}
	}
	return false;
}
