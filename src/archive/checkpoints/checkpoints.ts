/**
 * The checkpoints of a service: one a day, and one when proof of a document is requested that none covers yet.
 *
 * Gap: a request gets a checkpoint that covers its document, signed at once and shared by concurrent requests. At most sixty are signed an hour;
 * later requests wait. So a flood of requests leaves one checkpoint a minute in the store.
 */

import { Cron } from "croner";
import { FlattenedSign } from "jose";
import { codeOf } from "../../platform/database";
import { msg, Problem } from "../../platform/problem";
import type { Log } from "../../platform/telemetry";
import { readLogSizes } from "../merkle";
import { type Archive, ArchiveConflictError, ObjectMissingError } from "../object-store/archive";
import { type CheckpointsDeps, openKey, type SigningKey } from "./keys";
import { makeCheckpoint } from "./make-checkpoint";
import { ArchiveContradictionError } from "./proof-objects";
import { type CheckpointRow, findCovering, findKeys, findNewestCheckpoint, findTimesSince, type LeafAt } from "./store";

/** A flattened JWS. Source: RFC 7515, 7.2.2. */
export type Receipt = { readonly payload: string; readonly protected: string; readonly signature: string };

type CheckpointStatus = {
	readonly leaves: number;
	/** Age of the newest checkpoint; null if there is none. */
	readonly ageSeconds: number | null;
};

export type Checkpoints = {
	/** The first checkpoint of the current key that covers the leaf, so the answer stays the same. Throws: service-unavailable. */
	readonly covering: (leaf: LeafAt) => Promise<CheckpointRow>;
	/** Signs today's checkpoint; undefined if there is one. */
	readonly makeDue: () => Promise<CheckpointRow | undefined>;
	/** Signs with the key of that name. */
	readonly signReceipt: (keyName: string, claims: Readonly<Record<string, unknown>>) => Promise<Receipt>;
	readonly status: () => Promise<CheckpointStatus>;
};

const HOUR_MS = 3_600_000;
const AN_HOUR_MAX = 60;

export function createCheckpoints(given: CheckpointsDeps): Checkpoints {
	const deps = { ...given, archive: wrapFailures(given.archive) };
	const { sql, clock, log } = deps;
	const keys = new Map<string, SigningKey>();
	let making: Promise<CheckpointRow> | undefined;

	/** Concurrent requests wait for the checkpoint being signed, and for the next one if it does not cover their leaf. */
	async function makeFor(leaf: LeafAt): Promise<CheckpointRow> {
		for (;;) {
			await making;
			const known = await findFor(leaf);
			if (known) return known;
			if (making) continue;
			making = makeAllowed(leaf).finally(() => {
				making = undefined;
			});
			return making;
		}
	}

	async function findFor(leaf: LeafAt): Promise<CheckpointRow | undefined> {
		const [key] = await findKeys(sql);
		// A key without its private part signs no receipt: the next checkpoint has a new key.
		return key?.sealedPrivateKey ? findCovering(sql, key.name, leaf) : undefined;
	}

	function makeAllowed(leaf: LeafAt): Promise<CheckpointRow> {
		return makeCheckpoint(deps, async (newest, tx) => {
			const [key] = await findKeys(tx);
			if ((newest.logs[leaf.log]?.size ?? 0) > leaf.leafIndex && newest.keyName === key?.name) return true;
			const now = clock.now();
			const times = await findTimesSince(tx, new Date(now.getTime() - HOUR_MS), AN_HOUR_MAX);
			const [oldest] = times;
			if (oldest === undefined || times.length < AN_HOUR_MAX) return false;
			const waitSeconds = Math.ceil((oldest.getTime() + HOUR_MS - now.getTime()) / 1000);
			throw new Problem("service-unavailable", {
				detail: msg`No checkpoint of the archive covers the document yet, and the limit of checkpoints for this hour is reached.`,
				headers: { "retry-after": String(Math.max(1, waitSeconds)) },
			});
		});
	}

	async function reporting<T>(work: () => Promise<T>): Promise<T> {
		try {
			return await work();
		} catch (error) {
			if (error instanceof ArchiveContradictionError || error instanceof ArchiveConflictError) {
				deps.metrics.archiveContradictions.inc();
				log.error(
					{ event: "checkpoint.contradicted", err: error },
					"checkpoint not signed; the archive contradicts its proof",
				);
			}
			throw error;
		}
	}

	async function keyOf(name: string): Promise<SigningKey> {
		const known = keys.get(name);
		if (known) return known;
		const row = (await findKeys(sql)).find((one) => one.name === name);
		if (!row) throw new Error(`the archive has no key ${name}`);
		const key = openKey(row, deps.envelope);
		keys.set(name, key);
		return key;
	}

	return {
		async covering(leaf) {
			try {
				return (await findFor(leaf)) ?? (await reporting(() => makeFor(leaf)));
			} catch (error) {
				if (error instanceof StoreFailedError) {
					log.error(
						{ event: "checkpoint.store_failed", err: error },
						"checkpoint not signed; the archive's store failed",
					);
					throw new Problem("service-unavailable", {
						detail: msg`No checkpoint of the archive covers the document yet, and none can be signed now.`,
						headers: { "retry-after": "30" },
						cause: error,
					});
				}
				// Source: PostgreSQL, Appendix A: lock_not_available.
				if (codeOf(error) !== "55P03") throw error;
				throw new Problem("service-unavailable", {
					detail: msg`A checkpoint of the archive is being signed.`,
					headers: { "retry-after": "15" },
					cause: error,
				});
			}
		},
		async makeDue() {
			const now = clock.now();
			const isOfToday = ({ madeAt }: CheckpointRow) => dayOf(madeAt) >= dayOf(now);
			const newest = await findNewestCheckpoint(sql);
			if (newest && isOfToday(newest)) return undefined;
			const made = await reporting(() => makeCheckpoint(deps, isOfToday));
			return made.number === newest?.number ? undefined : made;
		},
		async signReceipt(keyName, claims) {
			const { privateKey } = await keyOf(keyName);
			const signed = await new FlattenedSign(Buffer.from(JSON.stringify(claims)))
				.setProtectedHeader({ alg: "EdDSA", kid: keyName, typ: "sello-receipt+jws" })
				.sign(privateKey);
			return { payload: signed.payload, protected: signed.protected ?? "", signature: signed.signature };
		},
		async status() {
			const [sizes, newest] = await Promise.all([readLogSizes(sql), findNewestCheckpoint(sql)]);
			const ageSeconds = newest ? Math.max(0, (clock.now().getTime() - newest.madeAt.getTime()) / 1000) : null;
			return { leaves: sizes.reduce((sum, size) => sum + size, 0), ageSeconds };
		},
	};
}

function dayOf(moment: Date): string {
	return moment.toISOString().slice(0, 10);
}

/** The archive's store failed to read or write a part of a checkpoint. A later attempt may succeed. */
class StoreFailedError extends Error {
	constructor(cause: unknown) {
		super(`the archive's store failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
		this.name = "StoreFailedError";
	}
}

/** The same store with its failures as StoreFailedError. A missing or conflicting object is an answer, not a failure. */
function wrapFailures(archive: Archive): Archive {
	return {
		...archive,
		putOnce: (key, bytes, keep) => archive.putOnce(key, bytes, keep).catch(rethrow),
		get: (key, versionId) => archive.get(key, versionId).catch(rethrow),
		async *list(prefix) {
			try {
				yield* archive.list(prefix);
			} catch (error) {
				rethrow(error);
			}
		},
	};
}

function rethrow(error: unknown): never {
	const isAnswer = error instanceof ArchiveConflictError || error instanceof ObjectMissingError;
	throw isAnswer ? error : new StoreFailedError(error);
}

/** Often, so that a day has its checkpoint even if the service was down at midnight. */
const EVERY_TEN_MINUTES = "*/10 * * * *";

/** Signs a checkpoint a day, even without new documents, so that watchers see a living archive. Returns a function that stops it. */
export function startCheckpoints({ checkpoints, log }: { checkpoints: Checkpoints; log: Log }): () => void {
	const job = new Cron(EVERY_TEN_MINUTES, { timezone: "UTC", protect: true }, async () => {
		try {
			const made = await checkpoints.makeDue();
			if (made) {
				const { number, size, root } = made;
				log.info({ event: "checkpoint.signed", number, size, root }, "signed a checkpoint");
			}
		} catch (error) {
			log.warn(
				{ event: "checkpoint.schedule_failed", err: error },
				"signing the day's checkpoint failed; trying again",
			);
		}
	});
	return () => job.stop();
}
