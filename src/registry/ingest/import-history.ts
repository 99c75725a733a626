/** Imports an older file of the authority, so that the history begins before the first run. */
import { operatorActor, recordAudit } from "../../identity/audit-log";
import { announce } from "../../platform/changes";
import { newId } from "../../platform/values";
import { dayOf, fromIsoDay, toIsoDay } from "../history";
import { insertHistoryStart, recordHistory, removeDifferencesAt } from "../history-rows";
import { findLastGoodRun, withIngestLock } from "../runs";
import { blockErasedKeys, bringHistory } from "./history-files";
import { runCompareImport, runPrepare } from "./in-thread";
import { findIntactFile, type IngestDeps, jobOf } from "./run-files";
import { SourceError } from "./source/source-error";

/** The file cannot be imported for this day. */
export class HistoryImportError extends Error {
	override readonly name = "HistoryImportError";
}

export type HistoryImport = {
	readonly day: string;
	readonly recordCount: number;
	/** Numbers that differ between this file and the data that follow it. */
	readonly differences: number;
	/** Numbers that differ between the import before and this one. */
	readonly since: number;
	readonly applied: boolean;
};

type ImportOptions = {
	readonly source: string;
	/** `YYYY-MM-DD` in UTC-4, at whose end the authority published the file. */
	readonly day: string;
	/** Without it nothing is written. */
	readonly apply: boolean;
};

/** Throws: HistoryImportError; SourceError for a file that cannot be read. */
export async function importHistory(
	deps: IngestDeps,
	{ source, day, apply }: ImportOptions,
	onWait?: () => void,
): Promise<HistoryImport> {
	const done = await withIngestLock({ ...deps, ...(onWait ? { onWait } : {}) }, true, async (tx, signal) => {
		await deps.tombstones.refresh();
		const run = await findLastGoodRun(tx);
		const whole = run && (await findIntactFile(deps, run.runId));
		if (!whole) throw new HistoryImportError("this host has no intact data of the last run to compare with");
		const history = await bringHistory({ ...deps, signal }, tx, run);
		const starts = history.manifest.begins;
		const imported = { day: fromIsoDay(day), runId: newId() };
		checkDay(imported.day, starts);
		const own = starts.at(-1)?.day ?? dayOf(deps.clock.now());
		try {
			const job = { ...jobOf(deps, source, imported.runId, deps.tombstones.copy(), undefined, undefined) };
			const prepared = await runPrepare(job, signal);
			if (prepared.kind === "refused") throw new SourceError("refused", prepared.reason);
			if (prepared.kind !== "built") throw new Error("an import was prepared without a file");
			const { atImport, atOwn } = await runCompareImport(
				{
					do: "compare-import",
					...{ path: prepared.path, currentPath: whole.path, historyPath: history.path, imported },
				},
				signal,
			);
			const facts = {
				...{ day, recordCount: prepared.facts.recordCount },
				...{ differences: atOwn.keys.length, since: atImport.keys.length },
			};
			if (!apply) return { ...facts, applied: false };
			const isErased = await blockErasedKeys(deps, tx);
			await removeDifferencesAt(tx, own);
			await recordHistory(tx, atImport, isErased);
			await recordHistory(tx, atOwn, isErased);
			await insertHistoryStart(tx, { ...imported, isImported: true });
			const actor = operatorActor();
			const details = { ...facts, sha256: prepared.facts.sha256 };
			await recordAudit(tx, {
				...{ at: deps.clock.now(), actor, action: "registry.import-history", subject: imported.runId },
				details,
			});
			await announce(tx, "registry-ingested");
			await bringHistory({ ...deps, signal }, tx, run);
			return { ...facts, applied: true };
		} finally {
			await deps.directory.removeOwn(imported.runId);
		}
	});
	if (!done) throw new Error("an import that waits for the lock returned without a result");
	return done;
}

function checkDay(day: number, starts: readonly { readonly day: number; readonly isImported: boolean }[]): void {
	const own = starts.find(({ isImported }) => !isImported);
	if (own && day >= own.day)
		throw new HistoryImportError(`expected a day before ${toIsoDay(own.day)}, from which the runs are known`);
	const newest = starts.findLast(({ isImported }) => isImported);
	if (newest && day <= newest.day)
		throw new HistoryImportError(
			`expected a day after ${toIsoDay(newest.day)}, the last import: import the oldest first`,
		);
}
