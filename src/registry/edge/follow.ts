/** Keeps a node without a database in step with the store: its keys, erasures and run. */
import { createHash } from "node:crypto";
import { createSingleFlight } from "../../platform/concurrency";
import { openObjects } from "../../platform/objects";
import { type Envelope, openTombstonePepper } from "../../platform/secrets";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import { createTombstonesFrom, type Tombstones } from "../erasure";
import { openSnapshot, SnapshotError } from "../index/index";
import { runVerify, tryOpenHistory } from "../ingest";
import type { Current, RunRow, SnapshotDirectory } from "../runs";
import { createSignature, openRegistryStore } from "../store";
import { EDGE_KEYS, EDGE_STATE, type EdgeState, readSealed, readState } from "./edge-state";

export type EdgeFollowerDeps = {
	/** A folder or an address. */
	readonly store: string;
	readonly envelope: Envelope;
	readonly directory: SnapshotDirectory;
	readonly current: Current;
	readonly clock: Clock;
	readonly log: Log;
	readonly signal: AbortSignal;
	/** Called with the text of the keys whenever they have changed. */
	readonly onKeys: (text: string) => void;
};

export type EdgeFollower = {
	readonly pepper: Uint8Array;
	readonly tombstones: Tombstones;
	readonly state: () => EdgeState;
	/** Every change until then is known. Units: milliseconds of `performance.now`. */
	readonly currentUntil: () => number;
	readonly stop: () => Promise<void>;
};

const EVERY_MS = 500;
/** How often files are looked for that hold no erased entry, or a history. */
const FILES_EVERY_MS = 5_000;
const START_RETRY_MS = 1_000;

/**
 * Waits for the first state and tries once to load its run; then follows. Throws: SealedSecretError for another deployment's key; the reason of
 * the signal.
 */
export async function followStore(deps: EdgeFollowerDeps): Promise<EdgeFollower> {
	const { clock, current, directory, log, signal } = deps;
	const objects = openObjects(deps.store);
	const first = await readFirst(deps, () => objects.getText(EDGE_STATE));
	const pepper = openTombstonePepper(deps.envelope, first);
	const signature = createSignature(pepper);
	const store = openRegistryStore(deps.store, pepper);
	let state: EdgeState | undefined;
	let keysVersion: string | undefined;
	let currentUntil = Number.NEGATIVE_INFINITY;
	const tombstones = createTombstonesFrom(async () => state?.erased ?? [], pepper);

	/** Throws if there is no state, or none of this deployment. */
	const readStore = async (): Promise<void> => {
		const text = await objects.getText(EDGE_STATE);
		const payload = text === undefined ? undefined : signature.open(readSealed(text).signed);
		if (payload === undefined) throw new Error("the store has no state that this deployment has signed");
		const next = readState(payload);
		// An older one was put back.
		if (state && next.writtenAt < state.writtenAt) return;
		state = next;
		await tombstones.refresh();
		if (next.keysVersion !== keysVersion) {
			const keys = signature.open((await objects.getText(EDGE_KEYS)) ?? "");
			// Newer keys may be there already, and their state follows.
			if (keys === undefined || sha256(keys) !== next.keysVersion) return;
			deps.onKeys(keys);
			keysVersion = next.keysVersion;
		}
		// Gap: the clocks of a deployment agree within seconds.
		currentUntil = performance.now() - Math.max(0, clock.now().getTime() - Date.parse(next.writtenAt));
	};

	let taken: string | undefined;
	let filesSoughtAt = Number.NEGATIVE_INFINITY;
	const openOwn = (run: RunRow, isVerified: boolean): boolean => {
		const path = directory.find(run.runId);
		if (path === undefined) return false;
		try {
			const history = tryOpenHistory({ log, directory }, run.runId);
			current.swap({ run, snapshot: openSnapshot(path), isVerified, ...(history ? { history } : {}) });
			return true;
		} catch (err) {
			if (!(err instanceof SnapshotError)) throw err;
			log.warn({ event: "snapshot.unusable", err }, "registry snapshot cannot be used");
			return false;
		}
	};
	const fetchRun = async (run: RunRow): Promise<boolean> => {
		const name = (await store.read())?.snapshot.name;
		if (!(await store.fetch(directory, run.runId)) || !openOwn(run, true)) return false;
		taken = name;
		await directory.keepOnly(new Set([run.runId]));
		log.info({ event: "store.fetched", runId: run.runId }, "registry run fetched from the store");
		return true;
	};
	/** Whether the store has files of this run that hold fewer erased entries than ours, or a history that we lack. */
	const hasBetterFiles = async (run: RunRow): Promise<boolean> => {
		const loaded = current.get();
		if (!loaded) return false;
		const isClear = loaded.snapshot.manifest.clearedOf === tombstones.fingerprint();
		if ((isClear && loaded.history) || performance.now() - filesSoughtAt < FILES_EVERY_MS) return false;
		filesSoughtAt = performance.now();
		const stored = await store.read();
		if (stored?.runId !== run.runId || stored.snapshot.name === taken) return false;
		const isBetter = !isClear && tombstones.copyOf(stored.tombstones).fingerprint === tombstones.fingerprint();
		return isBetter || (!loaded.history && stored.history !== undefined);
	};
	/** The file that this host had is served while it is read; a damaged one is fetched again. */
	const verifyOwn = async (): Promise<void> => {
		const loaded = current.get();
		if (!loaded || loaded.isVerified) return;
		for (const file of [loaded.snapshot, ...(loaded.history ? [loaded.history] : [])]) {
			const { path, fileId, manifest } = file;
			const answer = await runVerify({ do: "verify", file: { path, fileId, sections: manifest.sections } }, signal);
			if (answer.found === "whole") continue;
			if (answer.found === "damaged")
				log.error({ event: "snapshot.damaged", path, fault: answer.fault }, "removing a damaged registry file");
			current.drop(loaded.snapshot.fileId);
			await directory.remove([path]);
			return;
		}
		if (current.get() === loaded) current.swap({ ...loaded, isVerified: true });
	};
	const followFiles = async (): Promise<void> => {
		const run = state?.run;
		if (!run) return;
		const loaded = current.get();
		if (loaded?.run.runId !== run.runId) {
			if (!openOwn(run, false)) await fetchRun(run);
		} else if (loaded.run.confirmedAt < run.confirmedAt) current.swap({ ...loaded, run });
		await verifyOwn();
		if (await hasBetterFiles(run)) await fetchRun(run);
	};

	const flight = createSingleFlight<void>();
	const tryState = logFailures(deps, readStore);
	const tryFiles = logFailures(deps, followFiles);
	const poll = () => flight.run("state", tryState);
	// Apart from the state, because fetching a file takes seconds.
	const load = () => flight.run("files", tryFiles);
	await poll();
	await load();
	const timer = setInterval(() => void poll().then(load), EVERY_MS);
	return {
		pepper,
		tombstones,
		state: () => state ?? NO_STATE,
		currentUntil: () => currentUntil,
		stop: async () => {
			clearInterval(timer);
			await Promise.all([flight.current("state"), flight.current("files")]);
		},
	};
}

/** The same work, which fails with one line in the log, however often. */
function logFailures(
	{ log, signal }: Pick<EdgeFollowerDeps, "log" | "signal">,
	work: () => Promise<void>,
): () => Promise<void> {
	let isFailing = false;
	return async () => {
		try {
			await work();
			if (isFailing) log.info({ event: "store.readable" }, "store of the registry is read again");
			isFailing = false;
		} catch (err) {
			if (!isFailing && !signal.aborted)
				log.warn({ event: "store.unreadable", err }, "store of the registry not read; trying again");
			isFailing = true;
		}
	};
}

const NO_STATE: EdgeState = {
	writtenAt: "",
	keysVersion: "",
	erased: [],
	run: undefined,
	lastAttempt: undefined,
	nextScheduled: undefined,
};

/** The sealed pepper, once the store has one. */
async function readFirst(
	{ log, signal }: Pick<EdgeFollowerDeps, "log" | "signal">,
	read: () => Promise<string | undefined>,
): Promise<Uint8Array> {
	for (let isFirst = true; ; isFirst = false) {
		signal.throwIfAborted();
		const text = await read().catch((err: unknown) => {
			if (isFirst) log.warn({ event: "store.unreadable", err }, "store of the registry not read; trying again");
			return undefined;
		});
		if (text !== undefined) return readSealed(text).pepper;
		if (isFirst) log.warn({ event: "store.edge_waiting" }, "waiting for a node with a database to write keys.json");
		await Bun.sleep(START_RETRY_MS);
	}
}

function sha256(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}
