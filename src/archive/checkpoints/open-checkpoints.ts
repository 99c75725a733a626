/**
 * The checkpoints of a service: one a day, and one when somebody wants proof of a document that none covers yet.
 *
 * Gap: who asks is answered with a checkpoint that covers what was asked for, made at once and shared by all who ask meanwhile; an hour has sixty
 * at most, and who comes after them waits. So a flood of questions leaves one checkpoint a minute in the ten years' store, and nobody else
 * waits at all.
 */

import { Cron } from "croner";
import { FlattenedSign } from "jose";
import { codeOf } from "../../platform/database";
import { Problem } from "../../platform/problem";
import type { Log, Metrics } from "../../platform/telemetry";
import { readTreeSize } from "../merkle";
import { type Archive, ArchiveConflictError, ObjectMissingError } from "../object-store/archive";
import { type KeyDeps, openKey, type SigningKey } from "./keys";
import { makeCheckpoint } from "./make-checkpoint";
import { ArchiveContradictionError } from "./proof-objects";
import { type CheckpointRow, findCovering, findKeys, findNewestCheckpoint, findTimesSince } from "./store";

/** A flattened JWS. Source: RFC 7515, 7.2.2. */
export type Receipt = { readonly payload: string; readonly protected: string; readonly signature: string };

export type CheckpointStatus = {
	readonly leaves: number;
	/** Of the newest checkpoint; null while there is none. */
	readonly ageSeconds: number | null;
};

export type Checkpoints = {
	/** A checkpoint that covers the leaf, signed by the key in force: the first such one, so the answer stays the same. Throws: service-unavailable. */
	readonly covering: (leafIndex: number) => Promise<CheckpointRow>;
	/** Makes today's checkpoint unless there is one; undefined when there is. */
	readonly makeDue: () => Promise<CheckpointRow | undefined>;
	/** Signs with the key of that name. */
	readonly signReceipt: (keyName: string, claims: Readonly<Record<string, unknown>>) => Promise<Receipt>;
	readonly status: () => Promise<CheckpointStatus>;
};

const HOUR_MS = 3_600_000;
const AN_HOUR_MAX = 60;

export function openCheckpoints(
	given: KeyDeps & { readonly log: Log; readonly metrics: Pick<Metrics, "archiveContradictions"> },
): Checkpoints {
	const deps = { ...given, archive: tellFailures(given.archive) };
	const { sql, clock, log } = deps;
	const keys = new Map<string, SigningKey>();
	let making: Promise<CheckpointRow> | undefined;

	/** Whoever comes while one is made waits for it, and for the next if it had counted the leaves already. */
	async function makeFor(leafIndex: number): Promise<CheckpointRow> {
		for (;;) {
			await making;
			const known = await findFor(leafIndex);
			if (known) return known;
			if (making) continue;
			making = makeAllowed(leafIndex).finally(() => {
				making = undefined;
			});
			return making;
		}
	}

	async function findFor(leafIndex: number): Promise<CheckpointRow | undefined> {
		const [key] = await findKeys(sql);
		// One whose private part is lost signs no receipt: the next checkpoint has a new one.
		return key?.sealedPrivateKey ? findCovering(sql, key.name, leafIndex + 1) : undefined;
	}

	function makeAllowed(leafIndex: number): Promise<CheckpointRow> {
		return makeCheckpoint(deps, async (newest, tx) => {
			const [key] = await findKeys(tx);
			if (newest.size > leafIndex && newest.keyName === key?.name) return true;
			const now = clock.now();
			const times = await findTimesSince(tx, new Date(now.getTime() - HOUR_MS), AN_HOUR_MAX);
			const [oldest] = times;
			if (oldest === undefined || times.length < AN_HOUR_MAX) return false;
			const waitSeconds = Math.ceil((oldest.getTime() + HOUR_MS - now.getTime()) / 1000);
			throw new Problem("service-unavailable", {
				detail: "No checkpoint of the archive covers the document yet, and no further one is signed in this hour.",
				headers: { "retry-after": String(Math.max(1, waitSeconds)) },
			});
		});
	}

	async function told<T>(work: () => Promise<T>): Promise<T> {
		try {
			return await work();
		} catch (error) {
			if (error instanceof ArchiveContradictionError || error instanceof ArchiveConflictError) {
				deps.metrics.archiveContradictions.inc();
				log.error({ err: error }, "no checkpoint is signed");
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
		async covering(leafIndex) {
			try {
				return (await findFor(leafIndex)) ?? (await told(() => makeFor(leafIndex)));
			} catch (error) {
				if (error instanceof StoreFailedError) {
					log.error({ err: error }, "no checkpoint can be made now");
					throw new Problem("service-unavailable", {
						detail: "No checkpoint of the archive covers the document yet, and none can be made now.",
						headers: { "retry-after": "30" },
						cause: error,
					});
				}
				// Source: PostgreSQL, Appendix A: lock_not_available.
				if (codeOf(error) !== "55P03") throw error;
				throw new Problem("service-unavailable", {
					detail: "A checkpoint of the archive is being made.",
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
			const made = await told(() => makeCheckpoint(deps, isOfToday));
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
			const [leaves, newest] = await Promise.all([readTreeSize(sql), findNewestCheckpoint(sql)]);
			const ageSeconds = newest ? Math.max(0, (clock.now().getTime() - newest.madeAt.getTime()) / 1000) : null;
			return { leaves, ageSeconds };
		},
	};
}

function dayOf(moment: Date): string {
	return moment.toISOString().slice(0, 10);
}

/** The archive's store has not given or taken what a checkpoint is made of. */
export class StoreFailedError extends Error {
	constructor(cause: unknown) {
		super(`the archive's store failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
		this.name = "StoreFailedError";
	}
}

/** The same store, whose failures are a StoreFailedError; that an object is missing, or another one, is its answer. */
export function tellFailures(archive: Archive): Archive {
	return {
		...archive,
		putOnce: (key, bytes, keep) => archive.putOnce(key, bytes, keep).catch(tell),
		get: (key, versionId) => archive.get(key, versionId).catch(tell),
		async *list(prefix) {
			try {
				yield* archive.list(prefix);
			} catch (error) {
				tell(error);
			}
		},
	};
}

function tell(error: unknown): never {
	const isAnswer = error instanceof ArchiveConflictError || error instanceof ObjectMissingError;
	throw isAnswer ? error : new StoreFailedError(error);
}

/** Asked often, so that a day whose first hour the service was away has its checkpoint all the same. */
const EVERY_TEN_MINUTES = "*/10 * * * *";

/** Starts the schedule; the answer stops it. */
export function startCheckpoints({ checkpoints, log }: { checkpoints: Checkpoints; log: Log }): () => void {
	const job = new Cron(EVERY_TEN_MINUTES, { timezone: "UTC", protect: true }, async () => {
		try {
			const made = await checkpoints.makeDue();
			if (made) log.info({ number: made.number, size: made.size, root: made.root }, "signed a checkpoint");
		} catch (error) {
			log.warn({ err: error }, "the day's checkpoint failed and is tried again at the next turn");
		}
	});
	return () => job.stop();
}
