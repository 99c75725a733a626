/**
 * Provides the files for download of the data in use. A host makes them when they are first requested, and from then on after every run
 * and erasure, so that hosts from which nothing is downloaded do no work.
 */
import { existsSync } from "node:fs";
import { createSingleFlight, withTimeout } from "../../platform/concurrency";
import type { Sql } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import { listErasedNumbers, readChangeTexts } from "../changes";
import type { Tombstones } from "../erasure";
import { type Current, isSearched, type Loaded, registryUnavailable, type SnapshotDirectory } from "../runs";
import { type DownloadSet, type OpenSet, openDownloadFolder, type SetId } from "./download-set";
import type { MakeDownloadsJob } from "./make-files";

export type DownloadsDeps = {
	readonly sql: Sql;
	readonly log: Log;
	readonly current: Current;
	readonly tombstones: Tombstones;
	readonly directory: SnapshotDirectory;
	/** Runs the job in a thread. */
	readonly runJob: (job: MakeDownloadsJob) => Promise<DownloadSet>;
};

export type Downloads = {
	/** The files of the data in use; those of an earlier run while they are being made. Throws: registry-unavailable. */
	readonly open: (persons: boolean) => Promise<OpenSet>;
	/** Follows a run or an erasure, if a set was made before. */
	readonly refreshSoon: () => void;
	/** Whether this host's files hold no erased entry. */
	readonly areCleared: () => boolean;
	readonly close: () => Promise<void>;
};

/** How long the first request after an erasure waits for the files. */
const WAIT_MS = 30_000;
/** How often a process looks whether another one has finished a set. */
const LOOK_EVERY_MS = 200;
const DAY_MS = 86_400_000;
/** A till that is offline for longer must not trust its copy. Counted from the end of the day on which the source was confirmed. */
const VALID_DAYS = 7;

export function openDownloads(deps: DownloadsDeps): Downloads {
	const { current, tombstones, log } = deps;
	const folder = openDownloadFolder(deps.directory.path);
	const making = createSingleFlight<void>();
	let isClosed = false;
	let refreshing: Promise<void> | undefined;

	const idOf = ({ run }: Loaded, persons: boolean): SetId => {
		const day = run.confirmedAt.toISOString().slice(0, 10);
		return { runId: run.runId, fingerprint: tombstones.fingerprint(), day, persons };
	};
	const runJob = async (loaded: Loaded, id: SetId, temporary: string): Promise<"done" | "gone"> => {
		try {
			await deps.runJob(await jobOf(deps, loaded, id, temporary));
			return "done";
		} catch (error) {
			if (existsSync(loaded.snapshot.path)) throw error;
			// An erasure has rewritten the file, and the new one comes into use at once.
			await Bun.sleep(LOOK_EVERY_MS);
			return "gone";
		}
	};
	const make = async (loaded: Loaded, id: SetId): Promise<void> => {
		while (!folder.find(id) && !isClosed) {
			const temporary = folder.begin(id);
			if (temporary === undefined) {
				await Bun.sleep(LOOK_EVERY_MS);
				continue;
			}
			try {
				if ((await runJob(loaded, id, temporary)) === "gone") return;
				// An erasure may have come meanwhile.
				if (tombstones.fingerprint() !== id.fingerprint) return;
				await folder.publish(id);
			} finally {
				await folder.abandon(id);
			}
		}
	};
	/** False if it failed. True does not mean that there are files: an erasure may have come meanwhile. */
	const makeOnce = (loaded: Loaded, persons: boolean): Promise<boolean> => {
		const id = idOf(loaded, persons);
		return making
			.run(JSON.stringify(id), () => make(loaded, id))
			.then(() => true)
			.catch((err: unknown) => {
				log.error({ event: "downloads.failed", err, runId: id.runId, persons }, "files for download not made");
				return false;
			});
	};
	const refresh = async (): Promise<void> => {
		const loaded = current.get();
		const fingerprint = tombstones.fingerprint();
		const wanted = [true, false].filter((persons) => folder.isWanted(persons));
		if (!folder.isCleared(fingerprint)) await folder.removeOthers(fingerprint);
		for (const persons of wanted) {
			if (loaded && !isClosed && !folder.find(idOf(loaded, persons))) await makeOnce(loaded, persons);
		}
	};
	return {
		open: async (persons) => {
			const until = performance.now() + WAIT_MS;
			for (;;) {
				const loaded = current.get();
				if (!loaded) throw registryUnavailable();
				const id = idOf(loaded, persons);
				const ready = folder.find(id);
				if (ready) return ready;
				const made = makeOnce(loaded, persons);
				const earlier = folder.findAny(id);
				if (earlier) return earlier;
				const isMade = await withTimeout(made, Math.max(0, until - performance.now()), () => false);
				const found = folder.find(id);
				const isSame = current.get()?.snapshot === loaded.snapshot && tombstones.fingerprint() === id.fingerprint;
				if (found && isSame) return found;
				// A run or an erasure that came meanwhile needs other files, also if it was undone.
				if ((isSame && !isMade) || isClosed || performance.now() > until) throw registryUnavailable();
			}
		},
		refreshSoon: () => {
			refreshing ??= refresh()
				.catch((err: unknown) => log.error({ event: "downloads.failed", err }, "files for download not made"))
				.finally(() => {
					refreshing = undefined;
				});
		},
		areCleared: () => folder.isCleared(tombstones.fingerprint()),
		close: async () => {
			isClosed = true;
			await refreshing;
		},
	};
}

async function jobOf(
	{ sql, tombstones, directory }: DownloadsDeps,
	{ run, snapshot }: Loaded,
	id: SetId,
	folder: string,
): Promise<MakeDownloadsJob> {
	const { clearedOf } = snapshot.manifest;
	return {
		do: "downloads",
		path: snapshot.path,
		folder,
		persons: id.persons,
		runId: run.runId,
		validUntil: Date.parse(id.day) + (1 + VALID_DAYS) * DAY_MS,
		erased: tombstones.copy(),
		isSearched: clearedOf === id.fingerprint || isSearched(directory.readCleared(), id.fingerprint, snapshot.path),
		sets: await readChangeTexts(sql, run.runId),
		erasedNumbers: (await listErasedNumbers(sql)).map(({ ordinal, sealed }) => {
			return { ordinal, digits: tombstones.openNumber(sealed) };
		}),
	};
}

/** Does a job in the thread that calls this. Its packages are loaded only here, because they would cost every other job memory. */
export async function makeDownloads(job: MakeDownloadsJob): Promise<DownloadSet> {
	const { makeFiles } = await import("./make-files");
	return makeFiles(job);
}
