/**
 * What do ten years of history cost: an answer about an earlier day, and a day's changes in the ingest?
 *
 * 795,000 invented numbers change ten times each. 100,000 random answers are compared with the changes that were made; a wrong one ends the
 * bench.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHistoryRows, findPeriod, mergeHistory, openHistory, writeHistory } from "../src/registry/history";
import { keyOf } from "../src/registry/index/index";
import { type BenchOptions, type Figure, newRounds, toFigure } from "./bench";
import { repeatRounds } from "./registry-data";
import { makeRandom } from "./registry-queries";

export const question = "What do ten years of history add to an answer and to an ingest?";
export const peer = "none; the figures are what a plain look-up and an ingest take more";

const FIRST_DAY = 20_783;
const CHANGES = 10;
const SPACING = 365;
const A_DAY = 2_179;
const STATUSES = ["ACTIVO", "SUSPENDIDO", "CESE TEMPORAL"];

const digitsAt = (i: number) => String(100_000_000 + 977 * i);
const dayAt = (i: number, change: number) => FIRST_DAY + 1 + change * SPACING + (i % SPACING);
/** The status after so many changes. */
const statusAfter = (changes: number) => STATUSES[changes % STATUSES.length] ?? "";
const momentOf = (day: number) => ({ day, runId: `run of day ${day}` });

function entryOf(i: number, changes: number) {
	const name = `COMERCIAL ${i} SRL`;
	const fixed = { trade_name: "", economic_activity: "VENTA AL POR MENOR", payment_regime: "NORMAL" };
	return { rnc: digitsAt(i), name, ...fixed, status: statusAfter(changes) };
}

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	const numbers = smoke ? 2_000 : 795_000;
	const folder = mkdtempSync(join(tmpdir(), "sello-history-"));
	const path = join(folder, "ten-years.history");
	const facts = { runId: "run", begins: [{ ...momentOf(FIRST_DAY), isImported: false }], clearedOf: "" };
	const last = FIRST_DAY + 1 + CHANGES * SPACING;
	const random = makeRandom(7);
	const rounds = newRounds("answer", "merge");
	try {
		const rows = createHistoryRows();
		for (let i = 0; i < numbers; i++) {
			const key = keyOf(digitsAt(i));
			for (let change = 0; change < CHANGES; change++)
				rows.add(key, momentOf(dayAt(i, change)), { status: statusAfter(change) });
		}
		const { columns, moments } = mergeHistory(undefined, rows.finish());
		writeHistory(path, { ...facts, moments }, columns);
		const history = openHistory(path);
		const ask = (i: number, day: number) => findPeriod(history, keyOf(digitsAt(i)), entryOf(i, CHANGES), day);
		for (let n = 0; n < (smoke ? 2_000 : 100_000); n++) {
			const [i, day] = [random(numbers), FIRST_DAY + random(last - FIRST_DAY)];
			let changes = 0;
			while (changes < CHANGES && dayAt(i, changes) <= day) changes++;
			const status = ask(i, day)?.entry?.status;
			if (status !== statusAfter(changes)) throw new Error(`number ${i} was ${status} on day ${day}`);
		}
		const asked = smoke ? 2_000 : 200_000;
		await repeatRounds(smoke, async () => {
			// Most questions are about the last year. What comes before the history is not counted.
			const questions = Array.from({ length: asked }, () => {
				const i = random(numbers);
				return { key: keyOf(digitsAt(i)), now: entryOf(i, CHANGES), day: last - random(SPACING) };
			});
			const start = performance.now();
			for (const { key, now, day } of questions) findPeriod(history, key, now, day);
			rounds.answer.push(((performance.now() - start) * 1_000) / asked);
			const day = createHistoryRows();
			const step = Math.floor(numbers / Math.min(numbers, A_DAY));
			for (let i = 0; i < numbers; i += step) {
				day.add(keyOf(digitsAt(i)), momentOf(last), { status: statusAfter(CHANGES) });
			}
			const changes = day.finish();
			const target = join(folder, "next.history");
			const begun = performance.now();
			const merged = mergeHistory(history, changes);
			writeHistory(target, { ...facts, moments: merged.moments }, merged.columns);
			rounds.merge.push(performance.now() - begun);
			rmSync(target);
		});
		return [
			toFigure("an answer about an earlier day, more than a look-up", "µs", rounds.answer, { target: "≤ 1 µs" }),
			toFigure("a day's changes merged and written", "ms", rounds.merge, { target: "≤ 500 ms" }),
			toFigure("file of ten years", "MiB", [statSync(path).size / 2 ** 20]),
		];
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
