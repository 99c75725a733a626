/** The registry of one process: loads the data, keeps it fresh, and provides its operations to the rest of the service. */

import { join } from "node:path";
import type { JWK } from "jose";
import { type Actor, operatorActor } from "../identity/audit-log";
import { COPY_LATE_MS } from "../identity/auth";
import { type ChangeFeed, openChangeFeed } from "../platform/changes";
import { createSerialQueue, type SerialQueue } from "../platform/concurrency";
import type { Sql } from "../platform/database";
import { openObjects } from "../platform/objects";
import type { Operation } from "../platform/operation";
import { createWake } from "../platform/outbox";
import { deriveKey } from "../platform/secrets";
import type { Log } from "../platform/telemetry";
import type { Clock, TaxpayerDocument } from "../platform/values";
import { type AnswersFromMemory, answerFromMemory } from "./answer-from-memory";
import { type Attestations, createAttestations, type RegistryKeys } from "./attestation";
import { openCheckRunner } from "./checks";
import { openDownloads } from "./downloads";
import { startEdgePublisher } from "./edge";
import {
	createTombstones,
	type FindKeyLineage,
	type PurgeAnswer,
	type PurgeRequest,
	purgeDocument,
	type SignReceipt,
	startErasureKeeper,
} from "./erasure";
import { openHarvestLimit } from "./harvest";
import {
	areFilesCleared,
	type IngestDeps,
	type IngestOptions,
	type IngestRun,
	ingestSource,
	isIngestDue,
	type OnProgress,
	rollBack,
	runMakeDownloads,
	startRunFollower,
	startSchedule,
} from "./ingest";
import { createLinks, type FindKeyCaller } from "./reconcile";
import { type OwnsCompany, type RegistryStatus, registryOperations, toRegistryStatus } from "./routes";
import { createCurrent, findEntry, openSnapshotDirectory } from "./runs";
import { isAddress, toSourceName } from "./settings";
import { openRegistryStore } from "./store";
import { findStop, leaveWatchlists, setStop, watchlistOperations } from "./watchlists";

export type RegistryDeps = {
	readonly sql: Sql;
	/** Default: a feed of its own. */
	readonly changes?: ChangeFeed;
	/** A path or an https address of the authority's zip, text or CSV file. */
	readonly source: string;
	/** Where this host's snapshots are; its processes share them. */
	readonly directory: string;
	/** A folder or `s3://bucket/prefix` that all hosts share; without it each host builds its own files. */
	readonly store?: string | undefined;
	readonly schedule: string;
	/** Key of the tombstones' digests and of cursors; the same in every process and after every restart. */
	readonly pepper: Uint8Array;
	readonly clock: Clock;
	readonly log: Log;
	/** Sign attestations and the receipts of erasures. */
	readonly keys: RegistryKeys;
	/** Keys of tokens that signed receipts of erasures in the past. */
	readonly receiptKeys: () => readonly JWK[];
	readonly ownsCompany: OwnsCompany;
	/** Links for reconciliation act for the keys that made them. */
	readonly findKeyCaller: FindKeyCaller;
	/** Template of a taxpayer's public page, with `{{id}}`; undefined where there is none. */
	readonly viewUrl?: string | undefined;
	/** The language of a company's mails. */
	readonly languageOf: (tenantId: string) => Promise<"es" | "en">;
	/** Issuer of the attestations, without a trailing slash. */
	readonly baseUrl: string;
	/** Finds the keys that may be under the same control as a key. */
	readonly findKeyLineage: FindKeyLineage;
	/** How long processes serve known keys while the database is away. Default: 0. */
	readonly graceSeconds?: number;
	/** Initial delay between tries while nothing was ever loaded; doubles up to 15 minutes. */
	readonly retryMs?: number;
};

export type Registry = AnswersFromMemory & {
	/** What a consultation number says; undefined unless it was given for these parties. */
	readonly readConsultation: Attestations["readNumber"];
	readonly status: () => RegistryStatus;
	/** Ingests now, after any other ingest has ended. Problems of the source are reported in the result. */
	readonly ingest: (options?: {
		readonly source?: string;
		readonly force?: boolean;
		readonly onProgress?: OnProgress;
	}) => Promise<IngestRun>;
	/** Rolls back to the data of an earlier run, in every process. Throws: RollbackError. */
	readonly rollback: (runId: string, actor?: Actor) => Promise<void>;
	/** Erases an entry for the operator, without the limits of a key. */
	readonly purge: (document: TaxpayerDocument, request: PurgeRequest) => Promise<PurgeAnswer>;
	/** Digests of watchlists, by the secret in the links of their mails. */
	readonly digestLinks: {
		/** Undefined for an unknown secret. */
		readonly find: (secret: string) => Promise<{ readonly isStopped: boolean } | undefined>;
		/** Stops or resumes all digests to an address. False for an unknown secret. */
		readonly change: (secret: string, what: "stop" | "resume") => Promise<boolean>;
	};
	readonly operations: readonly Operation[];
	readonly close: () => Promise<void>;
};

const RETRY_MS = 30_000;
const RETRY_MS_MAX = 900_000;

/**
 * Opens the registry. It maps the last good run's snapshot at once, or an older one while that is rebuilt. Verification and a due ingest
 * follow in the background. Without a snapshot, a file is loaded before this returns, and a download continues afterwards. A source that
 * cannot be loaded is logged and tried again; until then every answer is `registry-unavailable`. Throws for an invalid schedule or source
 * address, and if the database is down.
 */
export async function openRegistry(deps: RegistryDeps): Promise<Registry> {
	const { sql, clock, log } = deps;
	const source = toSourceName(deps.source);
	const closing = new AbortController();
	const current = createCurrent(async ({ path }) => {
		log.error({ event: "snapshot.cut_off", path }, "registry snapshot was cut off while in use");
		if (closing.signal.aborted) return;
		await follower.replaceLost();
		if (!current.get() && !isStarting) await load(deps.retryMs ?? RETRY_MS);
	});
	const tombstones = createTombstones(sql, deps.pepper);
	const directory = openSnapshotDirectory(deps.directory);
	const ingestDeps: IngestDeps = {
		...{ sql, clock, log, tombstones, current, directory, signal: closing.signal },
		...(deps.store === undefined ? {} : { store: openRegistryStore(deps.store, deps.pepper) }),
	};
	const downloads = openDownloads({ ...ingestDeps, runJob: (job) => runMakeDownloads(job, closing.signal) });
	let isStarting = true;
	const pending = createSerialQueue();
	/** Any queued task may drop a damaged file. If nothing replaces it, the source is tried again and again, as at a start without a file. */
	const reloadIfLost = async <T>(work: () => Promise<T>): Promise<T> => {
		const hadSome = current.get() !== undefined;
		try {
			return await work();
		} finally {
			const isLost = hadSome && !current.get();
			if (isLost && !isStarting && !closing.signal.aborted) void load(deps.retryMs ?? RETRY_MS);
			if (!closing.signal.aborted) downloads.refreshSoon();
		}
	};
	const queue: SerialQueue = { ...pending, run: (work) => pending.run(() => reloadIfLost(work)) };
	const path = join(deps.directory, "erasures");
	const changes = deps.changes ?? (await openChangeFeed({ sql, listenSql: sql, log }));
	const erasures = await startErasureKeeper({ sql, changes, clock, log, pepper: deps.pepper, path });
	const follower = await startRunFollower(ingestDeps, changes, queue, erasures.compareSoon);

	const ingest = async (options: IngestOptions) => {
		const run = await queue.run(() => ingestSource(ingestDeps, options));
		await follower.refreshRuns();
		// The file may contain entries that were erased while it was built.
		follower.scheduleClearing();
		return run;
	};
	/** `made` a run; `left` to another process; `broke-off` on an error such as a lost lock. Problems of the source are reported by the run. */
	const tryIngest = async (wait: boolean): Promise<"made" | "left" | "broke-off"> => {
		try {
			return (await ingest({ source, force: false, wait })) ? "made" : "left";
		} catch (error) {
			if (!closing.signal.aborted)
				log.error({ event: "registry.ingest_aborted", err: error }, "registry ingest broke off");
			return "broke-off";
		}
	};
	let again: ReturnType<typeof setTimeout> | undefined;
	/** The next scheduled time may be a day away. In the meantime another process may have ingested. */
	const scheduleRetry = (pauseMs: number): void => {
		clearTimeout(again);
		if (closing.signal.aborted) return;
		const isDue = async () => isIngestDue(source, current.get()?.run, schedule, clock.now());
		again = setTimeout(async () => {
			await follower.refreshRuns().catch(() => undefined);
			if ((await isDue()) && (await tryIngest(false)) !== "made") scheduleRetry(Math.min(pauseMs * 2, RETRY_MS_MAX));
		}, pauseMs);
		again.unref();
	};
	const schedule = startSchedule(deps.schedule, async () => {
		if ((await tryIngest(false)) === "broke-off") scheduleRetry(deps.retryMs ?? RETRY_MS);
	});

	let retry: ReturnType<typeof setTimeout> | undefined;
	const load = async (retryMs: number): Promise<void> => {
		await tryIngest(true);
		if (current.get() || closing.signal.aborted) return;
		clearTimeout(retry);
		retry = setTimeout(() => void load(Math.min(retryMs * 2, RETRY_MS_MAX)), retryMs);
		retry.unref();
	};
	// The last served data comes first: it must be available even if the gates refuse the source.
	await follower.openLastGood();
	const start = async (): Promise<void> => {
		await follower.verify();
		if (!current.get() || !follower.isLastGoodInUse()) await follower.catchUp();
		follower.scheduleClearing();
		const isDue = await isIngestDue(source, current.get()?.run, schedule, clock.now());
		// Gap: with a store a start makes no run; an ingest that was missed follows later, so that many starts make one.
		if (isDue && deps.store !== undefined && current.get()) return scheduleRetry((deps.retryMs ?? RETRY_MS) / 2);
		// Closing waits for this, but must not wait for an ingest that starts meanwhile.
		if (isDue && !closing.signal.aborted) await load(deps.retryMs ?? RETRY_MS);
	};
	const firstLoad = start().finally(() => {
		isStarting = false;
	});
	if (!isAddress(source) && !current.get()) await firstLoad;

	const { keys, receiptKeys, ownsCompany, baseUrl, findKeyLineage } = deps;
	const stopPublisher =
		deps.store === undefined
			? undefined
			: startEdgePublisher({
					...{ sql, changes, clock, log, pepper: deps.pepper, objects: openObjects(deps.store) },
					nextScheduled: () => schedule.next(clock.now()),
				});
	const signReceipt: SignReceipt = (claims) => keys.sign("receipt+jws", claims);
	const numberKey = deriveKey(deps.pepper, "registry-consultation");
	const harvest = openHarvestLimit({ sql, clock, log });
	const checks = openCheckRunner({ sql, clock, log, current, tombstones, folder: join(deps.directory, "checks") });
	const purgeDeps = {
		sql,
		clock,
		tombstones,
		signReceipt,
		findKeyLineage,
		// A node without a database may serve its copy that long.
		graceSeconds: deps.store === undefined ? deps.graceSeconds : Math.max(deps.graceSeconds ?? 0, COPY_LATE_MS / 1_000),
		leaveWatchlists,
		isKnown: (document: TaxpayerDocument) => {
			const loaded = current.get();
			return !loaded || findEntry(loaded, tombstones, document) !== undefined;
		},
		keepErasure: erasures.keep,
		scheduleClearing: follower.scheduleClearing,
	};
	const status = () =>
		toRegistryStatus({
			run: current.get()?.run,
			lastAttempt: follower.lastAttempt(),
			nextScheduled: schedule.next(clock.now()),
			now: clock.now(),
		});
	const attestations = createAttestations({ keys, numberKey, baseUrl, clock });
	const memory = answerFromMemory({ current, tombstones, clock });
	const { vocabularyFor, slices, suggest, findView } = memory.parts;
	const cursorKey = deriveKey(deps.pepper, "registry-cursor");
	const linkKey = deriveKey(deps.pepper, "registry-reconcile-link");
	const links = createLinks({ sql, clock, linkKey, findKeyCaller: deps.findKeyCaller });
	const rollback: Registry["rollback"] = async (runId, actor) => {
		await queue.run(() => rollBack(ingestDeps, runId, undefined, actor));
		await follower.refreshRuns();
	};
	return {
		...memory.answers,
		readConsultation: attestations.readNumber,
		status,
		ingest: async (options = {}) => {
			const name = options.source === undefined ? source : toSourceName(options.source);
			const { force = false, onProgress } = options;
			const run = await ingest({ source: name, force, wait: true, ...(onProgress ? { onProgress } : {}) });
			if (!run) throw new Error("an ingest that waits for the lock returned without a run");
			return run;
		},
		rollback,
		purge: (document, request) => purgeDocument(purgeDeps, document, request, { actor: operatorActor() }),
		digestLinks: {
			find: (secret) => findStop(sql, secret),
			change: (secret, what) => setStop(sql, secret, what === "stop" ? clock.now() : null),
		},
		operations: [
			...registryOperations({
				...{ sql, clock, log, current, tombstones, status, keys, receiptKeys, ownsCompany, baseUrl, rollback },
				attestations,
				erasure: purgeDeps,
				cursorKey,
				...{ downloads, checks, harvest, vocabularyFor, slices, suggest, links, viewUrl: deps.viewUrl },
				areFilesCleared: () => areFilesCleared(ingestDeps) && downloads.areCleared(),
			}),
			...watchlistOperations({
				...{ sql, clock, cursorKey, isErased: tombstones.isErased, takeView: findView },
				...{ languageOf: deps.languageOf, wake: createWake(sql) },
			}),
		],
		close: async () => {
			closing.abort();
			schedule.stop();
			clearTimeout(retry);
			clearTimeout(again);
			await Promise.allSettled([firstLoad]);
			await checks.close();
			await harvest.close();
			await stopPublisher?.();
			follower.stop();
			erasures.stop();
			if (!deps.changes) await changes.close();
			await queue.idle();
			await downloads.close();
			current.close();
		},
	};
}
