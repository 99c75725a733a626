/** Shows the progress of an ingest: a bar with rows and remaining time on a terminal, otherwise one JSON line for each step. */
import type { IngestProgress, IngestStep, OnProgress } from "../src/registry";

type Output = { readonly isTTY?: boolean; readonly write: (text: string) => unknown };

/** The approximate share of each step in the time of an ingest. */
const WEIGHTS: readonly (readonly [IngestStep, number])[] = [
	["fetch", 5],
	["unpack", 20],
	["parse", 25],
	["build", 35],
	["verify", 10],
	["compare", 3],
	["publish", 2],
];
const BAR_WIDTH = 24;
/** No estimate of the remaining time before this share is done. */
const GUESS_FROM = 0.1;

export function showProgress(
	output: Output,
	nowMs: () => number = () => performance.now(),
): { readonly show: OnProgress; readonly end: () => void } {
	let startedMs = nowMs();
	let lastStep: IngestStep | undefined;
	if (!output.isTTY) {
		return {
			show: ({ step, rows }) => {
				if (step === lastStep) return;
				lastStep = step;
				const elapsedMs = Math.round(nowMs() - startedMs);
				output.write(`${JSON.stringify({ step, elapsed_ms: elapsedMs, ...(rows === undefined ? {} : { rows }) })}\n`);
			},
			end: () => undefined,
		};
	}
	return {
		show: (progress) => {
			// Waiting for another ingest says nothing about the remaining time.
			if (lastStep === "wait") startedMs = nowMs();
			lastStep = progress.step;
			output.write(`\r\x1b[2K${drawLine(progress, (nowMs() - startedMs) / 1000)}`);
		},
		end: () => output.write("\n"),
	};
}

function drawLine({ step, share, rows }: IngestProgress, elapsedSeconds: number): string {
	if (step === "wait") return "waiting for another ingest to end";
	const done = doneOf(step, share ?? 0);
	const filled = Math.round(done * BAR_WIDTH);
	const bar = "#".repeat(filled) + "-".repeat(BAR_WIDTH - filled);
	const left = done < GUESS_FROM ? "" : `, ${Math.ceil((elapsedSeconds * (1 - done)) / done)} s left`;
	const read = rows === undefined ? "" : `, ${rows.toLocaleString("en-US")} rows`;
	return `[${bar}] ${String(Math.floor(done * 100)).padStart(3)} % ${step}${read}${left}`;
}

function doneOf(step: IngestStep, share: number): number {
	const at = WEIGHTS.findIndex(([name]) => name === step);
	const sum = (weights: readonly (readonly [IngestStep, number])[]) =>
		weights.reduce((total, [, weight]) => total + weight, 0);
	return (sum(WEIGHTS.slice(0, at)) + share * (WEIGHTS[at]?.[1] ?? 0)) / sum(WEIGHTS);
}
