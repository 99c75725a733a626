/**
 * Keeps erasures outside the database too, on every host, and restores those that a restored database lacks before anything is served.
 * Otherwise the next ingest would take the entries again.
 *
 *   erased or reversed here ──▶ this host's folder ──▶ the answer
 *                          └─▶ change ──▶ the folders of the other hosts
 *   start, or the database is back ──▶ folder and database are compared; each gets what it lacks
 *
 * Reversals are restored in the same way. The id of a purge decides, so an erasure that the database has as reversed is never restored.
 *
 * Gap: the folder is in the data directory and not in the archive. A reversal must remove the digest, which write-once storage cannot do,
 * and the registry can run without an archive. A restore of that directory loses the later erasures too.
 */

import { operatorActor, recordAudit } from "../../identity/audit-log";
import type { ChangeFeed } from "../../platform/changes";
import type { Sql } from "../../platform/database";
import { deriveKey } from "../../platform/secrets";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import { type KeptErasure, openErasureFolder } from "./erasure-folder";
import {
	type ErasureRow,
	findErasure,
	listErasures,
	lockTombstone,
	restoreErasure,
	reverseTombstone,
} from "./tombstones-store";

type ErasureKeeper = {
	/** Copies an erasure from the database into this host's folder. */
	readonly keep: (purgeId: string) => Promise<void>;
	/** Schedules a comparison, after an erasure whose change was missed. */
	readonly compareSoon: () => void;
	readonly stop: () => void;
};

type ErasureKeeperDeps = {
	readonly sql: Sql;
	readonly changes: ChangeFeed;
	readonly clock: Clock;
	readonly log: Log;
	readonly pepper: Uint8Array;
	readonly path: string;
};

const COMPARED_AGAIN_MS = 2_000;

/** Compares folder and database, then follows both. Throws if either cannot be read, because nothing may be served without them. */
export async function startErasureKeeper(deps: ErasureKeeperDeps): Promise<ErasureKeeper> {
	const { sql, log } = deps;
	const folder = openErasureFolder(deps.path);
	const pepper = deriveKey(deps.pepper, "registry-erasures").toString("hex").slice(0, 16);
	const copy = async (row: ErasureRow | undefined): Promise<void> => {
		if (row) await folder.keep(toKept(row, pepper));
	};
	const compare = async (): Promise<void> => {
		const { erasures, damaged } = await folder.list();
		if (damaged.length > 0)
			log.error({ event: "erasure.files_damaged", files: damaged }, "erasure files cannot be read");
		const rows = new Map((await listErasures(sql)).map((row) => [row.purgeId, row]));
		const kept = new Map(erasures.map((one) => [one.purgeId, one]));
		for (const row of rows.values()) {
			const known = kept.get(row.purgeId);
			if (!known || (row.reversedAt && known.digest !== null)) await copy(row);
		}
		// Reversed after the database's backup: no longer in force, because the number may have been erased again since.
		const lifted = erasures.filter((one) => one.reversedAt !== null && rows.get(one.purgeId)?.reversedAt === null);
		await reapplyReversals(deps, lifted);
		for (const { purgeId } of lifted) rows.delete(purgeId);
		const standing = new Set([...rows.values()].map(({ digest }) => digest).filter((digest) => digest !== null));
		const missing = erasures.filter((one) => !rows.has(one.purgeId) && !lifted.includes(one));
		// Erased again since: that erasure has a file of its own and may be reversed.
		const superseded = missing.filter(({ digest }) => digest !== null && standing.has(digest));
		for (const { purgeId } of superseded) await folder.remove(purgeId);
		const lacked = missing.filter((one) => !superseded.includes(one));
		await restoreMissing(deps, pepper, lacked);
	};
	let isFollowing = false;
	let isStopped = false;
	let isBehind = false;
	let comparing: Promise<void> | undefined;
	/** The database may have been restored, and may lack erasures until it is compared. */
	const compareUntilDone = async (): Promise<void> => {
		while (isBehind && !isStopped) {
			isBehind = false;
			try {
				await compare();
			} catch (error) {
				isBehind = true;
				log.error(
					{ event: "erasure.comparison_failed", err: error },
					"erasures not compared with the database; retrying",
				);
				await Bun.sleep(COMPARED_AGAIN_MS);
			}
		}
	};
	/** Changes may have been missed. Those missed during a comparison are left to the next one. */
	const fallBehind = (): void => {
		isBehind = true;
		if (isFollowing) comparing ??= compareUntilDone().finally(() => (comparing = undefined));
	};
	const copyAnnounced = async (find: Promise<ErasureRow | undefined>): Promise<void> => {
		try {
			await copy(await find);
		} catch (error) {
			log.error({ event: "erasure.copy_failed", err: error }, "erasure not copied to this host's folder");
			fallBehind();
		}
	};
	// Before the first comparison, so that no erasure falls between the two.
	const leave = deps.changes.follow({
		kinds: ["registry-purged", "registry-purge-reversed"],
		onChange: ({ kind, subject }) =>
			copyAnnounced(findErasure(sql, kind === "registry-purged" ? { digest: subject } : { purgeId: subject })),
		onGap: fallBehind,
	});
	const stop = (): void => {
		isStopped = true;
		leave();
	};
	await compare().catch((error) => {
		stop();
		throw error;
	});
	isFollowing = true;
	if (isBehind) fallBehind();
	return { keep: async (purgeId) => copy(await findErasure(sql, { purgeId })), compareSoon: fallBehind, stop };
}

async function restoreMissing({ sql, clock, log }: ErasureKeeperDeps, pepper: string, lacked: readonly KeptErasure[]) {
	const ours = lacked.filter((one) => one.digest === null || one.pepper === pepper);
	if (ours.length < lacked.length) {
		log.error(
			{ event: "erasure.pepper_mismatch", count: lacked.length - ours.length },
			"erasures kept by this host use another pepper than the database; they cannot be restored and their entries may be served",
		);
	}
	let count = 0;
	for (const one of ours) {
		const reversedAt = one.reversedAt === null ? null : new Date(one.reversedAt);
		const action = reversedAt ? "registry.restore-reversal" : "registry.restore-purge";
		const isBack = await sql.begin(async (tx) => {
			const isNew = await restoreErasure(tx, { ...one, purgedAt: new Date(one.purgedAt), reversedAt });
			const entry = { action, subject: one.purgeId, details: { reason: RESTORED_REASON } };
			if (isNew) await recordAudit(tx, { at: clock.now(), actor: operatorActor(), ...entry });
			return isNew;
		});
		if (isBack) count++;
	}
	if (count > 0) log.warn({ event: "erasure.restored", count }, `erasures restored: ${RESTORED_REASON}`);
}

/** Restores reversals made after the database's backup. */
async function reapplyReversals({ sql, clock, log }: ErasureKeeperDeps, reversed: readonly KeptErasure[]) {
	let count = 0;
	for (const { purgeId, reversedAt } of reversed) {
		const isLifted = await sql.begin(async (tx) => {
			const found = await lockTombstone(tx, purgeId);
			if (!found || found.reversedAt !== null || reversedAt === null) return false;
			await reverseTombstone(tx, purgeId, new Date(reversedAt));
			const entry = { action: "registry.restore-reversal", subject: purgeId, details: { reason: RESTORED_REASON } };
			await recordAudit(tx, { at: clock.now(), actor: operatorActor(), ...entry });
			return true;
		});
		if (isLifted) count++;
	}
	if (count > 0)
		log.warn({ event: "erasure.reversal_restored", count }, `reversals of erasures restored: ${RESTORED_REASON}`);
}

const RESTORED_REASON = "kept by this host and missing from the database, which was probably restored";

function toKept({ purgedAt, reversedAt, ...rest }: ErasureRow, pepper: string): KeptErasure {
	return { ...rest, pepper, purgedAt: purgedAt.toISOString(), reversedAt: reversedAt?.toISOString() ?? null };
}
