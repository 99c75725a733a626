/** A thread's work on histories: building a run's file from rows, and comparing snapshots for rows. */
import {
	addChange,
	compareForHistory,
	createHistoryRows,
	findPeriod,
	type HistoryFacts,
	type HistoryFile,
	type HistoryRows,
	type HistoryStart,
	type Moment,
	mergeHistory,
	openHistory,
	verifyHistory,
	writeHistory,
} from "../history";
import { createErasedCheck, digitsOf, entryAt, type Snapshot, SnapshotError, type TombstoneSet } from "../index/index";
import { openIntact } from "./kept-files";

/** Where a run's history goes and what it continues. */
export type HistoryPlan = {
	readonly moment: Moment;
	/** The previous run's verified file; without it the history starts with this run. */
	readonly base?: { readonly path: string; readonly isCleared: boolean };
};

/** `rows` is absent if the history starts with this run. */
export type BuiltHistory = { readonly path: string; readonly rows?: HistoryRows };

/** Builds the history of a new run. Without the previous run's data its difference is unknown. */
export function buildHistory(
	{ moment, base }: HistoryPlan,
	before: Snapshot | undefined,
	after: Snapshot,
	erased: TombstoneSet,
	path: string,
): BuiltHistory {
	const { runId } = moment;
	const clearedOf = erased.fingerprint;
	if (!base || !before) {
		const { columns } = mergeHistory(undefined, createHistoryRows().finish());
		writeChecked(path, { runId, begins: [{ ...moment, isImported: false }], clearedOf, moments: [] }, columns);
		return { path };
	}
	const isErased = createErasedCheck(erased);
	const rows = compareForHistory(before, after, moment, isErased && ((key) => isErased(digitsOf(key))));
	const old = openHistory(base.path);
	const { columns, moments } = mergeHistory(old, rows);
	const { begins } = old.manifest;
	writeChecked(path, { runId, begins, clearedOf: base.isCleared ? clearedOf : "", moments }, columns);
	return { path, rows };
}

export function writeChecked(path: string, facts: HistoryFacts, columns: HistoryFile["columns"]): void {
	writeHistory(path, facts, columns);
	verifyHistory(openHistory(path));
}

export type MergeJob = {
	readonly do: "merge-history";
	readonly basePath?: string;
	readonly rows: HistoryRows;
	readonly runId: string;
	readonly begins: readonly HistoryStart[];
	readonly path: string;
};

/** Builds a run's history from the table's rows; they may contain those of the base. */
export function mergeFromTable({ basePath, rows, runId, begins, path }: MergeJob): Record<string, never> {
	const base = basePath === undefined ? undefined : openHistory(basePath);
	const { columns, moments } = mergeHistory(base, rows);
	writeChecked(path, { runId, begins, clearedOf: "", moments }, columns);
	return {};
}

export type CompareJob = {
	readonly do: "compare";
	readonly beforePath: string;
	readonly afterPath: string;
	/** Of the later run. */
	readonly moment: Moment;
};

/** `rows` is absent if one of the files is damaged or gone. */
export type CompareAnswer = { readonly rows?: HistoryRows };

export function compareKept({ beforePath, afterPath, moment }: CompareJob): CompareAnswer {
	const before = openIntact(beforePath);
	const after = openIntact(afterPath);
	return before && after ? { rows: compareForHistory(before, after, moment, undefined) } : {};
}

export type CompareImportJob = {
	readonly do: "compare-import";
	/** Snapshot of the imported file. */
	readonly path: string;
	/** Snapshot and history of the last good run. */
	readonly currentPath: string;
	readonly historyPath: string;
	readonly imported: Moment;
};

export type ImportRows = {
	/** From the older import to this one; empty for the first import. */
	readonly atImport: HistoryRows;
	/** From this import to the first run. */
	readonly atOwn: HistoryRows;
};

export function compareImport({ path, currentPath, historyPath, imported }: CompareImportJob): ImportRows {
	const [file, current] = [openIntact(path), openIntact(currentPath)];
	if (!file || !current) throw new SnapshotError(currentPath, "it cannot be compared with the imported file");
	const history = openHistory(historyPath);
	const { begins } = history.manifest;
	const own = begins.at(-1);
	if (!own) throw new Error("a history has no start");
	const [atImport, atOwn] = [createHistoryRows(), createHistoryRows()];
	for (const [key, row, currentRow] of walkKeys([file.keys, current.keys, history.columns.keys])) {
		const entry = row === undefined ? undefined : entryAt(file, row);
		const now = currentRow === undefined ? undefined : entryAt(current, currentRow);
		const first = findPeriod(history, key, now, own.day)?.entry;
		addChange(atOwn, key, own, entry, first);
		if (begins.length > 1) addChange(atImport, key, imported, findPeriod(history, key, now, own.day - 1)?.entry, entry);
	}
	return { atImport: atImport.finish(), atOwn: atOwn.finish() };
}

/** All keys of ascending lists, each with its row in the first two. */
function* walkKeys(
	lists: readonly [Float64Array, Float64Array, Float64Array],
): Generator<readonly [key: number, first: number | undefined, second: number | undefined]> {
	const at = [0, 0, 0];
	for (;;) {
		const heads = lists.map((keys, i) => keys[at[i] ?? 0] ?? Number.POSITIVE_INFINITY);
		const key = Math.min(...heads);
		if (key === Number.POSITIVE_INFINITY) return;
		const [first, second] = heads.map((head, i) => (head === key ? at[i] : undefined));
		yield [key, first, second];
		heads.forEach((head, i) => {
			if (head === key) at[i] = (at[i] ?? 0) + 1;
		});
	}
}
