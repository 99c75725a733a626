import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { RegistryEntry } from "../../../src/registry";
import {
	addChange,
	createHistoryRows,
	findPeriod,
	listPeriods,
	mergeHistory,
	openHistory,
	verifyHistory,
	withoutKeys,
	writeHistory,
} from "../../../src/registry/history";
import { keyOf } from "../../../src/registry/index/document-key";
import { createChance } from "../../support/chance";
import { entry, filesIn, temporaryFolder } from "../build";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const BEGINS = { day: 20_783, runId: "0192ef00-0000-7000-8000-000000000000", isImported: false };

test("3,000 random look-ups in the past equal a replay of all runs", () => {
	const chance = createChance(2_026);
	const numbers = Array.from({ length: 60 }, (_, i) => String(990_000_000 + i));
	let held = new Map(numbers.slice(0, 40).map((rnc) => [rnc, entry({ rnc })]));
	const days = [{ day: BEGINS.day, held }];
	let path = join(folder.path, "0.history");
	const facts = { runId: BEGINS.runId, begins: [BEGINS], clearedOf: "" };
	writeHistory(path, { ...facts, moments: [] }, mergeHistory(undefined, createHistoryRows().finish()).columns);
	for (let run = 1; run <= 80; run++) {
		// Some days have two runs, some have none.
		const day = BEGINS.day + Math.floor((run * 3) / 4);
		const next = new Map(held);
		for (const rnc of numbers) {
			const before = held.get(rnc);
			const dice = chance.whole(0, 99);
			if (dice < 3) next.delete(rnc);
			else if (dice < 6 && !before) next.set(rnc, entry({ rnc, name: `NUMERO ${run} ÑANDÚ` }));
			else if (dice < 20 && before) next.set(rnc, { ...before, status: chance.pick(["SUSPENDIDO", "ACTIVO"]) });
			else if (dice < 25 && before) next.set(rnc, { ...before, name: `OTRO ${run}`, trade_name: "" });
		}
		const rows = createHistoryRows();
		const moment = { day, runId: `run ${run}` };
		for (const rnc of numbers) addChange(rows, keyOf(rnc), moment, held.get(rnc), next.get(rnc));
		const { columns, moments } = mergeHistory(openHistory(path), rows.finish());
		path = join(folder.path, `${run}.history`);
		writeHistory(path, { ...facts, moments }, columns);
		held = next;
		days.push({ day, held });
	}
	const history = openHistory(path);
	verifyHistory(history);
	for (let i = 0; i < 3_000; i++) {
		const rnc = chance.pick(numbers);
		const day = BEGINS.day + chance.whole(0, 61);
		const wanted = days.findLast((one) => one.day <= day)?.held.get(rnc);
		const period = findPeriod(history, keyOf(rnc), held.get(rnc), day);
		expect(period?.entry).toEqual(wanted as RegistryEntry);
		expect(period?.from).toBeLessThanOrEqual(day);
		expect(period?.to ?? day).toBeGreaterThanOrEqual(day);
	}
	for (const rnc of numbers) {
		const periods = [...listPeriods(history, keyOf(rnc), held.get(rnc))];
		periods.slice(1).forEach(({ to, entry: before }, i) => {
			expect(to).toBe((periods[i]?.from ?? 0) - 1);
			expect(before).not.toEqual(periods[i]?.entry as RegistryEntry);
		});
		expect(periods.at(-1)?.from).toBe(BEGINS.day);
	}
});

test("a history without a key holds none of its texts, and the others as before", () => {
	const [kept, gone] = ["990000001", "990000002"];
	const rows = createHistoryRows();
	const moment = { day: BEGINS.day + 1, runId: "run" };
	addChange(rows, keyOf(kept), moment, entry({ rnc: kept, name: "SE QUEDA" }), undefined);
	addChange(rows, keyOf(gone), moment, entry({ rnc: gone, name: "SE VA" }), undefined);
	const { columns, moments } = mergeHistory(undefined, rows.finish());
	const cleared = withoutKeys(columns, (key) => key === keyOf(gone));
	expect(cleared?.erased).toEqual([keyOf(gone)]);
	const path = join(folder.path, "cleared.history");
	if (cleared) writeHistory(path, { runId: "run", begins: [BEGINS], clearedOf: "", moments }, cleared.columns);
	const history = openHistory(path);
	expect(findPeriod(history, keyOf(kept), undefined, BEGINS.day)?.entry?.name).toBe("SE QUEDA");
	expect(findPeriod(history, keyOf(gone), undefined, BEGINS.day)?.entry).toBeUndefined();
	const [file] = filesIn(folder.path).filter((one) => one.path === path);
	expect([file?.bytes.includes("SE VA"), file?.bytes.includes("SE QUEDA")]).toEqual([false, true]);
	const key = Buffer.from(Float64Array.of(keyOf(gone)).buffer);
	expect(file?.bytes.includes(key)).toBe(false);
});
