/** The registry of one process: loads the data, keeps it fresh, and provides its operations to the rest of the service. */

import { join } from "node:path";
import type { JWK } from "jose";
import { operatorActor } from "../identity/audit-log";
import { createSerialQueue, type SerialQueue } from "../platform/concurrency";
import type { Sql } from "../platform/database";
import type { Call, Operation } from "../platform/operation";
import { Problem } from "../platform/problem";
import { deriveKey } from "../platform/secrets";
import type { Log } from "../platform/telemetry";
import type { Clock, TaxpayerDocument } from "../platform/values";
import { type Attestations, createAttestations, type RegistryKeys } from "./attestation";
import { openCheckRunner } from "./checks";
import { openDownloads } from "./downloads";
import type { RegistryEntry } from "./entry";
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
import type { SearchHits, SearchQuery } from "./index/index";
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
import { createAbandonedCheck, createSlices, scoreNameOf } from "./match";
import { createLinks, type FindKeyCaller } from "./reconcile";
import { type OwnsCompany, type RegistryStatus, registryOperations, toRegistryStatus } from "./routes";
import {
	createCurrent,
	type EntryAsOf,
	type EntryPeriods,
	findEntry,
	findPeriods,
	openDay,
	openSnapshotDirectory,
	type RegistryView,
	viewOf,
} from "./runs";
import { createVocabularyCache } from "./search";
import { isAddress, toSourceName } from "./settings";
import { openRegistryStore } from "./store";
import { createSuggest, type Suggestions } from "./suggest";
import { findStop, leaveWatchlists, setStop, watchlistOperations } from "./watchlists";

export type RegistryDeps = {
	readonly sql: Sql;
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

export type Registry = {
	/** The entry of a number; undefined if there is none, if it is erased, and while nothing is loaded. */
	readonly lookup: (document: TaxpayerDocument) => RegistryEntry | undefined;
	/** The same. Throws: registry-unavailable while nothing is loaded. */
	readonly lookUpOrProblem: (document: TaxpayerDocument) => RegistryEntry | undefined;
	/**
	 * Entries for a text as it is typed, see `suggest/suggest.ts`; undefined for a text of fewer than two letters or digits. `withPersons`:
	 * natural persons are found too. Throws: registry-unavailable; service-unavailable if the caller has gone.
	 */
	readonly suggest: (
		call: Pick<Call, "request">,
		text: string,
		options: { readonly limit: number; readonly withPersons: boolean },
	) => Promise<Suggestions | undefined>;
	/** What a consultation number says; undefined unless it was given for these parties. */
	readonly readConsultation: Attestations["readNumber"];
	/**
	 * What our copy held of a number at the end of a day, `YYYY-MM-DD` in UTC-4. Throws: validation-error at `pointer` for a day in the future;
	 * history-not-available for a day before the first, or more than `historyDays` ago; registry-unavailable.
	 */
	readonly entryAsOf: (
		document: TaxpayerDocument,
		day: string,
		asked: { readonly pointer: string; readonly historyDays: number | null },
	) => EntryAsOf;
	/** The periods in which our copy had an entry, newest first. Throws: registry-unavailable. */
	readonly historyOf: (
		document: TaxpayerDocument,
		asked: { readonly limit: number; readonly historyDays: number | null },
	) => EntryPeriods;
	/** Throws: registry-unavailable. */
	readonly search: (query: SearchQuery) => SearchHits;
	readonly status: () => RegistryStatus;
	/** How similar a name is to an entry's legal or commercial name, from 0 to 1. */
	readonly scoreName: (entry: RegistryEntry, name: string) => number;
	readonly isLoaded: () => boolean;
	/** Whether the whole file in use was checked. */
	readonly isVerified: () => boolean;
	readonly runId: () => string | undefined;
	/** SHA-256 of the authority's file that the data came from, hex. */
	readonly sourceSha256: () => string | undefined;
	/** Ingests now, after any other ingest has ended. Problems of the source are reported in the result. */
	readonly ingest: (options?: {
		readonly source?: string;
		readonly force?: boolean;
		readonly onProgress?: OnProgress;
	}) => Promise<IngestRun>;
	/** Rolls back to the data of an earlier run, in every process. Throws: RollbackError. */
	readonly rollback: (runId: string) => Promise<void>;
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
	const erasures = await startErasureKeeper({ sql, clock, log, pepper: deps.pepper, path });
	const follower = await startRunFollower(ingestDeps, queue, erasures.compareSoon);

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
		graceSeconds: deps.graceSeconds,
		leaveWatchlists,
		isKnown: (document: TaxpayerDocument) => {
			const loaded = current.get();
			return !loaded || findEntry(loaded, tombstones, document) !== undefined;
		},
		keepErasure: erasures.keep,
		scheduleClearing: follower.scheduleClearing,
	};
	const historyDeps = { current, tombstones, clock };
	const status = () =>
		toRegistryStatus({
			run: current.get()?.run,
			lastAttempt: follower.lastAttempt(),
			nextScheduled: schedule.next(clock.now()),
			now: clock.now(),
		});
	const attestations = createAttestations({ keys, numberKey, baseUrl, clock });
	const vocabularyFor = createVocabularyCache();
	const slices = createSlices();
	const suggest = createSuggest({ vocabularyFor, slices });
	const findView = (): RegistryView | undefined => {
		const loaded = current.get();
		return loaded && viewOf(loaded, tombstones);
	};
	const viewNow = (): RegistryView => {
		const view = findView();
		if (!view) throw new Problem("registry-unavailable");
		return view;
	};
	const cursorKey = deriveKey(deps.pepper, "registry-cursor");
	const linkKey = deriveKey(deps.pepper, "registry-reconcile-link");
	const links = createLinks({ sql, clock, linkKey, findKeyCaller: deps.findKeyCaller });
	return {
		lookup: (document) => findEntry(current.get(), tombstones, document),
		lookUpOrProblem: (document) => viewNow().lookup(document),
		suggest: async (call, text, { limit, withPersons }) => {
			const options = withPersons ? { limit } : { limit, kind: "rnc" as const };
			return suggest(viewNow(), text, options, createAbandonedCheck(call));
		},
		readConsultation: attestations.readNumber,
		entryAsOf: (document, day, asked) => openDay(historyDeps, { day, ...asked }).find(document),
		historyOf: (document, asked) => findPeriods(historyDeps, document, asked),
		search: (query) => viewNow().search(query),
		status,
		scoreName: scoreNameOf,
		isLoaded: () => current.get() !== undefined,
		isVerified: () => current.get()?.isVerified === true,
		runId: () => current.get()?.run.runId,
		sourceSha256: () => current.get()?.run.sourceSha256 ?? undefined,
		ingest: async (options = {}) => {
			const name = options.source === undefined ? source : toSourceName(options.source);
			const { force = false, onProgress } = options;
			const run = await ingest({ source: name, force, wait: true, ...(onProgress ? { onProgress } : {}) });
			if (!run) throw new Error("an ingest that waits for the lock returned without a run");
			return run;
		},
		rollback: async (runId) => {
			await queue.run(() => rollBack(ingestDeps, runId));
			await follower.refreshRuns();
		},
		purge: (document, request) => purgeDocument(purgeDeps, document, request, { actor: operatorActor() }),
		digestLinks: {
			find: (secret) => findStop(sql, secret),
			change: (secret, what) => setStop(sql, secret, what === "stop" ? clock.now() : null),
		},
		operations: [
			...registryOperations({
				...{ sql, clock, log, current, tombstones, status, keys, receiptKeys, ownsCompany, baseUrl },
				attestations,
				erasure: purgeDeps,
				cursorKey,
				...{ downloads, checks, harvest, vocabularyFor, slices, suggest, links, viewUrl: deps.viewUrl },
				areFilesCleared: () => areFilesCleared(ingestDeps) && downloads.areCleared(),
			}),
			...watchlistOperations({
				...{ sql, clock, cursorKey, isErased: tombstones.isErased, takeView: findView },
				languageOf: deps.languageOf,
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
			await follower.stop();
			await erasures.stop();
			await queue.idle();
			await downloads.close();
			current.close();
		},
	};
}
