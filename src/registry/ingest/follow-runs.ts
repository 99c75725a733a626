/**
 * Keeps this process in step with the others: they tell by the database what was erased and what was ingested. Both are read
 * anew whenever the listening connection comes back, since what was told meanwhile was missed, and for as long as it is not proven to be alive.
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
import {
	clearErased,
	type IngestDeps,
	isNewestFile,
	loadRun,
	logOlderServed,
	openFile,
	verifyInUse,
} from "./run-files";

type Follower = {
	/** Takes over what the database says of runs and loads the last good one. Never throws: what fails is logged. */
	readonly catchUp: () => Promise<void>;
	/**
	 * The same as far as this host's files go: nothing is built, so nothing takes long. Where the last good run's file cannot be used, the
	 * newest one before it that can is served meanwhile.
	 */
	readonly openLastGood: () => Promise<void>;
	/** Reads all of the file in use, once, and puts another in its place when it is damaged. Never throws. */
	readonly verify: () => Promise<void>;
	/** Whether the run in use is the last good one. */
	readonly isLastGoodInUse: () => boolean;
	/** The same without loading. */
	readonly refreshRuns: () => Promise<void>;
	/** Has the files cleared of what was erased, once for however many ask before it begins. */
	readonly scheduleClearing: () => void;
	readonly lastAttempt: () => LastAttempt | undefined;
	readonly stop: () => Promise<void>;
};

/**
 * Starts listening; `onMissed` hears of erasures that nobody had told this process. Throws when the tombstones cannot be read: without them nothing may
 * be served.
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
		// A source that did not yield the run's data will not do so before somebody has seen it there again.
		const confirmation = `${run.runId} ${run.confirmedAt.toISOString()}`;
		if (confirmation === triedConfirmation) return;
		triedConfirmation = confirmation;
		const fault = await loadRun(deps, run);
		if (fault !== undefined) deps.log.warn({ runId: run.runId }, fault);
	};
	/** The file in use may have been built anew, because it was damaged or without what is erased, or be gone. */
	const reopen = (): void => {
		const loaded = deps.current.get();
		if (!loaded || isNewestFile(deps, loaded) || openFile(deps, loaded.run, false)) return;
		deps.current.swap({ ...loaded, isVerified: false });
	};
	const verify = async (): Promise<void> => {
		while (!(await verifyInUse(deps))) await replace();
	};
	/** Something else must take the place of a damaged file, though its source may have been tried before. */
	const replace = (): Promise<void> => {
		triedConfirmation = undefined;
		return catchUp();
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
				if (!deps.signal.aborted) deps.log.warn({ err: error }, "the registry did not follow a change");
			},
		);
	/** In whose turn a file may be opened, in that one it is verified. */
	const guarded = (work: () => Promise<unknown>): Promise<void> => quietly(() => work().then(verify));
	const scheduleClearing = () => {
		if (willClear) return;
		willClear = true;
		void guarded(async () => {
			willClear = false;
			if (!(await clearErased(deps))) await replace();
		});
	};
	const onPurged = (digest: string) => {
		// Refused at serve time from this line on; the file follows.
		deps.tombstones.add(digest);
		scheduleClearing();
	};
	// Not in turn: an ingest under way must not keep an erased entry visible.
	const refreshTombstones = () =>
		deps.tombstones.refresh().catch((error) => {
			deps.log.warn({ err: error }, "the registry's tombstones could not be read again");
		});
	let isCatchingUp = false;
	const readMissed = async () => {
		const known = deps.tombstones.fingerprint();
		await refreshTombstones();
		if (deps.tombstones.fingerprint() !== known) {
			scheduleClearing();
			onMissed();
		}
		// Its turn may come behind a whole ingest, which erasures do not wait for.
		if (isCatchingUp) return;
		isCatchingUp = true;
		void guarded(catchUp).finally(() => {
			isCatchingUp = false;
		});
	};
	const onConnected = () => {
		if (isListening) void onIngested().then(scheduleClearing);
	};
	// What an ingest has taken again after a reversal must not be held back here.
	const onIngested = () => refreshTombstones().then(() => guarded(catchUp));
	const purged = await deps.sql.listen(CHANNELS.registryPurged, onPurged, onConnected);
	const ingested = await deps.sql.listen(CHANNELS.registryIngested, () => void onIngested());
	const stopHeartbeat = await startListenerHeartbeat({ sql: deps.sql, log: deps.log, readMissed });
	isListening = true;
	await deps.tombstones.refresh();
	return {
		catchUp: () => guarded(catchUp),
		openLastGood: () => quietly(openLastGood),
		verify: () => quietly(verify),
		isLastGoodInUse: () => deps.current.get()?.run.runId === lastGood,
		refreshRuns: () => quietly(refreshRuns),
		scheduleClearing,
		lastAttempt: () => lastAttempt,
		stop: async () => {
			await stopHeartbeat();
			await purged.unlisten();
			await ingested.unlisten();
		},
	};
}

/**
 * Knows whether this process still hears what others erase and ingest.
 *
 * A connection that is open may be dead: the other end gone, packets lost by something between that answers for it. So each process sends
 * itself a beat through the connection on which it listens, and everything that was told before one that comes back has come too.
 *
 *   beat ──▶ database ──▶ heard        every quarter of a second
 *                    └──▶ nothing      for three quarters: what there may be is read, again and again until one is heard
 */

type HeartbeatDeps = {
	readonly sql: Sql;
	readonly log: Log;
	/** Reads what may have been told unheard. Called one at a time; never rejects. */
	readonly readMissed: () => Promise<void>;
};

const HEARTBEAT_INTERVAL_MS = 250;
const MISSED_AFTER_MS = 750;
/** Long enough that a busy moment is not worth a line in the log. */
const SILENT_AFTER_MS = 5_000;

/** Starts to listen for beats; the answer ends it. */
export async function startListenerHeartbeat({ sql, log, readMissed }: HeartbeatDeps): Promise<() => Promise<void>> {
	const self = newId();
	let receivedAt = performance.now();
	let isSending = false;
	let isReading = false;
	let isSilent = false;
	const beat = async (): Promise<void> => {
		// One at a time: a slow database must not be given a queue of beats.
		if (isSending) return;
		isSending = true;
		try {
			await sendHeartbeat(sql, self);
		} catch (err) {
			log.debug({ err }, "a beat of the registry was not sent");
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
	const tell = (silentMs: number): void => {
		if (silentMs > SILENT_AFTER_MS !== isSilent) {
			isSilent = !isSilent;
			if (isSilent)
				log.warn("changes of the registry are not heard: what was erased and ingested is read again each second");
			else log.info("changes of the registry are heard again");
		}
	};
	const listening = await sql.listen(CHANNELS.registryBeats, (who) => {
		if (who === self) receivedAt = performance.now();
	});
	const timer = setInterval(() => {
		const silentMs = performance.now() - receivedAt;
		tell(silentMs);
		if (silentMs > MISSED_AFTER_MS) void read();
		void beat();
	}, HEARTBEAT_INTERVAL_MS);
	return async () => {
		clearInterval(timer);
		await listening.unlisten().catch((err: unknown) => log.debug({ err }, "the listener had ended before"));
	};
}
