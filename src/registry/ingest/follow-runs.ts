/**
 * Keeps this process in step with the others, which announce erasures and ingests as changes. It reads both again after a gap, and as long
 * as the changes are not read.
 */

import type { ChangeFeed } from "../../platform/changes";
import type { SerialQueue } from "../../platform/concurrency";
import { findLastAttempt, findLastGoodRun, findRun, type LastAttempt, listKeptRuns, type RunRow } from "../runs";
import { areFilesCleared, clearErased } from "./clear-files";
import { followHistory } from "./history-files";
import { keepStore } from "./keep-store";
import { type IngestDeps, isNewestFile, loadRun, logOlderServed, openFile, verifyInUse } from "./run-files";

type Follower = {
	/** Reads the state of the runs and loads the last good one. Never throws; failures are logged. */
	readonly catchUp: () => Promise<void>;
	/** The same without building anything, so that it is fast. If the last good run's file cannot be used, the newest usable older one is served. */
	readonly openLastGood: () => Promise<void>;
	/** Reads the whole file in use once and replaces it if it is damaged. Never throws. */
	readonly verify: () => Promise<void>;
	/** Replaces a file that was cut off while in use. Never throws. */
	readonly replaceLost: () => Promise<void>;
	readonly isLastGoodInUse: () => boolean;
	readonly refreshRuns: () => Promise<void>;
	/** Schedules the removal of erased entries from the files; calls before it starts are combined. */
	readonly scheduleClearing: () => void;
	readonly lastAttempt: () => LastAttempt | undefined;
	readonly stop: () => void;
};

/** The ingest lock may be held meanwhile, or the store away. */
const STORE_RETRY_MS = 30_000;

/**
 * Starts to follow the changes. `onMissed` is called after erasures whose change this process missed. Throws if the tombstones cannot be
 * read, because nothing may be served without them.
 */
export async function startRunFollower(
	deps: IngestDeps,
	changes: ChangeFeed,
	queue: SerialQueue,
	onMissed: () => void,
): Promise<Follower> {
	let lastAttempt: LastAttempt | undefined;
	let triedConfirmation: string | undefined;
	let lastGood: string | undefined;

	let willClear = false;

	const refreshRuns = async (): Promise<RunRow | undefined> => {
		lastAttempt = await findLastAttempt(deps.sql);
		const run = await findLastGoodRun(deps.sql);
		lastGood = run?.runId;
		const loaded = deps.current.get();
		if (!run || loaded?.run.runId !== run.runId) return run;
		deps.current.swap({ ...loaded, run });
		return undefined;
	};
	const catchUp = async (): Promise<void> => {
		const run = await refreshRuns();
		if (!run) return reopen();
		// A source that did not yield the run's data will not yield it until another process confirms that it has the data.
		const confirmation = `${run.runId} ${run.confirmedAt.toISOString()}`;
		if (confirmation === triedConfirmation) return;
		triedConfirmation = confirmation;
		const fault = await loadRun(deps, run);
		if (fault !== undefined)
			deps.log.warn({ event: "registry.rebuild_failed", runId: run.runId, reason: fault }, "last good run not rebuilt");
	};
	/** The file in use may be gone, or rebuilt because of damage or erasures. */
	const reopen = (): void => {
		const loaded = deps.current.get();
		if (!loaded || isNewestFile(deps, loaded) || openFile(deps, loaded.run, false)) return;
		deps.current.swap({ ...loaded, isVerified: false });
	};
	const verify = async (): Promise<void> => {
		while (!(await verifyInUse(deps))) await replace();
	};
	/** A damaged file must be replaced, even if its source was already tried. */
	const replace = (): Promise<void> => {
		triedConfirmation = undefined;
		return catchUp();
	};
	const replaceLost = async (): Promise<void> => {
		if (deps.current.get()) return;
		await openLastGood();
		if (deps.current.get()?.run.runId !== lastGood) await replace();
	};
	const openLastGood = async (): Promise<void> => {
		const run = await refreshRuns();
		if (!run || openFile(deps, run, false)) return;
		for (const runId of await listKeptRuns(deps.sql)) {
			const older = runId === run.runId ? undefined : await findRun(deps.sql, runId);
			if (!older || !openFile(deps, older, false)) continue;
			logOlderServed(deps, runId, run.runId);
			return;
		}
	};
	const quietly = (work: () => Promise<unknown>): Promise<void> =>
		queue.run(work).then(
			() => undefined,
			(error) => {
				if (!deps.signal.aborted)
					deps.log.warn({ event: "registry.follow_failed", err: error }, "change of the registry not applied");
			},
		);
	/** Verifies the file within the same task that may open one, and brings its history. */
	const guarded = (work: () => Promise<unknown>): Promise<void> =>
		quietly(() =>
			work()
				.then(verify)
				.then(() => followHistory(deps))
				.then(async () => {
					if (!(await keepStore(deps))) retryStore();
				}),
		);
	let storeRetry: ReturnType<typeof setTimeout> | undefined;
	const retryStore = () => {
		clearTimeout(storeRetry);
		storeRetry = setTimeout(scheduleClearing, STORE_RETRY_MS);
		storeRetry.unref();
	};
	const scheduleClearing = () => {
		if (willClear) return;
		willClear = true;
		void guarded(async () => {
			willClear = false;
			if (!(await clearErased(deps))) await replace();
		});
	};
	const onPurged = (digest: string) => {
		// From here on the entry is not served; the file follows.
		deps.tombstones.add(digest);
		scheduleClearing();
	};
	// Not queued: an ingest in progress must not keep an erased entry visible.
	const refreshTombstones = () =>
		deps.tombstones.refresh().catch((error) => {
			deps.log.warn({ event: "registry.tombstones_unreadable", err: error }, "tombstones not refreshed");
		});
	/** Files from the store may hold entries that were erased since they were put there. */
	const catchUpAndClear = async () => {
		await guarded(catchUp);
		if (deps.store && !deps.signal.aborted && !areFilesCleared(deps)) scheduleClearing();
	};
	let isReading = false;
	let isCatchingUp = false;
	const readMissed = async () => {
		if (isReading) return;
		isReading = true;
		const known = deps.tombstones.fingerprint();
		await refreshTombstones();
		isReading = false;
		if (deps.tombstones.fingerprint() !== known) {
			scheduleClearing();
			onMissed();
		}
		// May wait for a whole ingest, so erasures do not wait for it.
		if (isCatchingUp) return;
		isCatchingUp = true;
		void catchUpAndClear().finally(() => {
			isCatchingUp = false;
		});
	};
	// Entries that an ingest restored after a reversal must be served.
	const onIngested = () => refreshTombstones().then(catchUpAndClear);
	const leave = changes.follow({
		kinds: ["registry-purged", "registry-ingested"],
		onChange: ({ kind, subject }) => {
			if (kind === "registry-purged") onPurged(subject);
			else void onIngested();
		},
		onGap: () => void onIngested().then(scheduleClearing),
		onSilence: () => void readMissed(),
	});
	await deps.tombstones.refresh();
	return {
		catchUp: () => guarded(catchUp),
		openLastGood: () => quietly(openLastGood),
		verify: () => quietly(verify),
		replaceLost: () => guarded(replaceLost),
		isLastGoodInUse: () => deps.current.get()?.run.runId === lastGood,
		refreshRuns: () => quietly(refreshRuns),
		scheduleClearing,
		lastAttempt: () => lastAttempt,
		stop: () => {
			clearTimeout(storeRetry);
			leave();
		},
	};
}
