/** Keeps the store in step with the last good run, its erasures and its history. Whichever host comes first does it. */
import { openHistory } from "../history";
import { openSnapshot, type TombstoneSet } from "../index/index";
import { findLastGoodRun, withIngestLock } from "../runs";
import { areFilesCleared } from "./clear-files";
import type { IngestDeps } from "./run-files";

/** Puts a run that was just built into the store. A store that is away ends no ingest: `keepStore` tries again. */
export async function putIntoStore(deps: IngestDeps, runId: string, erased: TombstoneSet): Promise<void> {
	if (!deps.store) return;
	const [path, historyPath] = [deps.directory.find(runId), deps.directory.find(runId, "history")];
	const isCleared =
		path !== undefined &&
		openSnapshot(path).manifest.clearedOf === erased.fingerprint &&
		(historyPath === undefined || openHistory(historyPath).manifest.clearedOf === erased.fingerprint);
	await put(deps, runId, isCleared ? erased.digests : []);
}

async function put(
	{ store, directory, log }: IngestDeps,
	runId: string,
	tombstones: readonly string[],
): Promise<boolean> {
	try {
		await store?.put(directory, { runId, tombstones });
		log.info({ event: "store.written", runId }, "registry run put into the store");
		return true;
	} catch (err) {
		log.error({ event: "store.write_failed", runId, err }, "registry run not put into the store");
		return false;
	}
}

/**
 * Puts the data in use into the store, if they are the last good run's and the store lacks them, their history or the removal of erased
 * entries. False if that must be tried again. Never throws for a store that is away.
 */
export async function keepStore(deps: IngestDeps): Promise<boolean> {
	const { store, tombstones, log, signal } = deps;
	const loaded = deps.current.get();
	if (!store || !loaded || signal.aborted) return true;
	const { runId } = loaded.run;
	const isKept = async (): Promise<boolean> => {
		const state = await store.read();
		if (state?.runId !== runId || (loaded.history && !state.history)) return false;
		return tombstones.copyOf(state.tombstones).fingerprint === tombstones.fingerprint();
	};
	try {
		if ((await findLastGoodRun(deps.sql))?.runId !== runId || (await isKept())) return true;
	} catch (err) {
		log.warn({ event: "store.unreadable", err }, "store of the registry not read");
		return false;
	}
	const isDone = await withIngestLock(deps, false, async (tx) => {
		if ((await findLastGoodRun(tx))?.runId !== runId || (await isKept())) return true;
		if (!areFilesCleared(deps)) return false;
		return put(deps, runId, tombstones.copy().digests);
	});
	return isDone ?? false;
}
