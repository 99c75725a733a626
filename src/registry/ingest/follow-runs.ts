/**
 * Keeps this process in step with the others, which announce erasures and ingests through the database. Notifications can be lost. The
 * process therefore reads both again whenever the listening connection returns, and as long as the connection is not proven alive.
 */

import type { SerialQueue } from "../../platform/concurrency";
import type { Sql } from "../../platform/database";
import { CHANNELS } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import { newId } from "../../platform/values";

import {
	findLastAttempt,
	findLastGoodRun,
	findRun,
	type LastAttempt,
	listKeptRuns,
	type RunRow,
	sendHeartbeat,
} from "../runs";
import { followHistory } from "./history-files";
import { keepStore } from "./keep-store";
import {
	areFilesCleared,
	clearErased,
	type IngestDeps,
	isNewestFile,
	loadRun,
	logOlderServed,
	openFile,
	verifyInUse,
} from "./run-files";

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
	readonly stop: () => Promise<void>;
};

/** The ingest lock may be held meanwhile, or the store away. */
const STORE_RETRY_MS = 30_000;

/**
 * Starts to listen. `onMissed` is called after erasures whose notification this process missed. Throws if the tombstones cannot be read,
 * because nothing may be served without them.
 */
export async function startRunFollower(deps: IngestDeps, queue: SerialQueue, onMissed: () => void): Promise<Follower> {
	let lastAttempt: LastAttempt | undefined;
	let triedConfirmation: string | undefined;
	let lastGood: string | undefined;
	let isListening = false;

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
	let isCatchingUp = false;
	const readMissed = async () => {
		const known = deps.tombstones.fingerprint();
		await refreshTombstones();
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
	const onConnected = () => {
		if (isListening) void onIngested().then(scheduleClearing);
	};
	// Entries that an ingest restored after a reversal must be served.
	const onIngested = () => refreshTombstones().then(catchUpAndClear);
	const purged = await deps.sql.listen(CHANNELS.registryPurged, onPurged, onConnected);
	const ingested = await deps.sql.listen(CHANNELS.registryIngested, () => void onIngested());
	const stopHeartbeat = await startListenerHeartbeat({ sql: deps.sql, log: deps.log, readMissed });
	isListening = true;
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
		stop: async () => {
			clearTimeout(storeRetry);
			await stopHeartbeat();
			await purged.unlisten();
			await ingested.unlisten();
		},
	};
}

/**
 * Detects whether this process still receives notifications. An open connection may be dead: the other end is gone, or a middlebox answers
 * for it. Each process therefore sends itself a heartbeat through the listening connection. Everything announced before a received
 * heartbeat has arrived too.
 *
 *   heartbeat ──▶ database ──▶ received     every quarter of a second
 *                          └──▶ nothing      for three quarters: missed changes are read until one is received
 */

type HeartbeatDeps = {
	readonly sql: Sql;
	readonly log: Log;
	readonly readMissed: () => Promise<void>;
};

const HEARTBEAT_INTERVAL_MS = 250;
const MISSED_AFTER_MS = 750;
const SILENT_AFTER_MS = 5_000;

/** Starts to listen for heartbeats; the returned function stops it. */
async function startListenerHeartbeat({ sql, log, readMissed }: HeartbeatDeps): Promise<() => Promise<void>> {
	const self = newId();
	let receivedAt = performance.now();
	let isSending = false;
	let isReading = false;
	let isSilent = false;
	const send = async (): Promise<void> => {
		// One at a time, so that heartbeats do not queue up on a slow database.
		if (isSending) return;
		isSending = true;
		try {
			await sendHeartbeat(sql, self);
		} catch (err) {
			log.debug({ event: "registry.heartbeat_failed", err }, "heartbeat not sent");
		} finally {
			isSending = false;
		}
	};
	const read = async (): Promise<void> => {
		if (isReading) return;
		isReading = true;
		await readMissed();
		isReading = false;
	};
	const report = (silentMs: number): void => {
		if (silentMs > SILENT_AFTER_MS !== isSilent) {
			isSilent = !isSilent;
			if (isSilent)
				log.warn(
					{ event: "registry.listener_silent" },
					"no notifications received; reading erasures and runs every second",
				);
			else log.info({ event: "registry.listener_recovered" }, "notifications are received again");
		}
	};
	const listening = await sql.listen(CHANNELS.registryBeats, (sender) => {
		if (sender === self) receivedAt = performance.now();
	});
	const timer = setInterval(() => {
		const silentMs = performance.now() - receivedAt;
		report(silentMs);
		if (silentMs > MISSED_AFTER_MS) void read();
		void send();
	}, HEARTBEAT_INTERVAL_MS);
	return async () => {
		clearInterval(timer);
		await listening
			.unlisten()
			.catch((err: unknown) => log.debug({ event: "registry.listener_ended", err }, "listener already ended"));
	};
}
