/** Shows how far an ingest is: a bar with rows and time left on a terminal, one JSON line for each step elsewhere. */
import type { IngestProgress, IngestStep, OnProgress } from "../src/registry";

type Output = { readonly isTTY?: boolean; readonly write: (text: string) => unknown };

/** About how the time of a whole ingest falls on its steps. */
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
/** Before this share is done a guess of the time left would be worth nothing. */
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
			// How long others take tells nothing of the time left.
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
