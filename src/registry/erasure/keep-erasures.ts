/**
 * Keeps what was erased beside the database too, on every host, and puts back what a restored database no longer knows, before anything is
 * served: without that the next ingest would take the entry again.
 *
 *   erased or reversed here ──▶ this host's folder ──▶ the answer
 *                          └─▶ NOTIFY ──▶ the folders of the other hosts
 *   start, and the database is back ──▶ folder and database are compared, each gets what it lacks
 *
 * A reversal that was made after the database's copy counts as well, where a host has heard of it. A purge's id decides, so an erasure that the
 * database knows to be reversed is never put back.
 *
 * Gap: the folder is the data directory's and not the archive, since a reversal takes the digest away, which a store that is written once
 * could not, and since the registry can run alone, without an archive. Whoever restores that directory too goes back with it.
 */

import { operatorActor, recordAudit } from "../../identity/audit-log";
import type { Sql } from "../../platform/database";
import { CHANNELS } from "../../platform/database";
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

export type ErasureKeeper = {
	/** Writes an erasure as the database has it into this host's folder. */
	readonly keep: (purgeId: string) => Promise<void>;
	/** For whoever has learned of an erasure that nobody had told this process. */
	readonly compareSoon: () => void;
	readonly stop: () => Promise<void>;
};

type ErasureKeeperDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly log: Log;
	readonly pepper: Uint8Array;
	/** The folder of this host's copies. */
	readonly path: string;
};

const COMPARED_AGAIN_MS = 2_000;

/** Compares folder and database, then follows. Throws when either cannot be read: without them nothing may be served. */
export async function startErasureKeeper(deps: ErasureKeeperDeps): Promise<ErasureKeeper> {
	const { sql, log } = deps;
	const folder = openErasureFolder(deps.path);
	const pepper = deriveKey(deps.pepper, "registry-erasures").toString("hex").slice(0, 16);
	const copy = async (row: ErasureRow | undefined): Promise<void> => {
		if (row) await folder.keep(toKept(row, pepper));
	};
	const compare = async (): Promise<void> => {
		const { erasures, damaged } = await folder.list();
		if (damaged.length > 0) log.error({ files: damaged }, "files of erasures cannot be read");
		const rows = new Map((await listErasures(sql)).map((row) => [row.purgeId, row]));
		const kept = new Map(erasures.map((one) => [one.purgeId, one]));
		for (const row of rows.values()) {
			const known = kept.get(row.purgeId);
			if (!known || (row.reversedAt && known.digest !== null)) await copy(row);
		}
		// What was reversed after the database's copy was made stands there no more: its number may have been erased anew since.
		const lifted = erasures.filter((one) => one.reversedAt !== null && rows.get(one.purgeId)?.reversedAt === null);
		await reapplyReversals(deps, lifted);
		for (const { purgeId } of lifted) rows.delete(purgeId);
		const standing = new Set([...rows.values()].map(({ digest }) => digest).filter((digest) => digest !== null));
		const missing = erasures.filter((one) => !rows.has(one.purgeId) && !lifted.includes(one));
		// Erased anew since: that one is kept in its own file, and may be reversed.
		const superseded = missing.filter(({ digest }) => digest !== null && standing.has(digest));
		for (const { purgeId } of superseded) await folder.remove(purgeId);
		const lacked = missing.filter((one) => !superseded.includes(one));
		await restoreMissing(deps, pepper, lacked);
	};
	let isFollowing = false;
	let isStopped = false;
	let isBehind = false;
	let comparing: Promise<void> | undefined;
	/** The database may be another copy of itself by now, and until it is compared it may lack what was erased. */
	const compareUntilDone = async (): Promise<void> => {
		while (isBehind && !isStopped) {
			isBehind = false;
			try {
				await compare();
			} catch (error) {
				isBehind = true;
				log.error({ err: error }, "erasures could not be compared with the database and are again soon");
				await Bun.sleep(COMPARED_AGAIN_MS);
			}
		}
	};
	/** Something may have been missed. What is missed while a comparison is under way is for the next one. */
	const fallBehind = (): void => {
		isBehind = true;
		if (isFollowing) comparing ??= compareUntilDone().finally(() => (comparing = undefined));
	};
	const hear = async (find: Promise<ErasureRow | undefined>): Promise<void> => {
		try {
			await copy(await find);
		} catch (error) {
			log.error({ err: error }, "an erasure could not be kept beside the database");
			fallBehind();
		}
	};
	// Heard from before the first comparison on: what is erased between the two would be missed by both.
	const purged = await sql.listen(CHANNELS.registryPurged, (digest) => hear(findErasure(sql, { digest })), fallBehind);
	const reversed = await sql.listen(CHANNELS.registryPurgeReversed, (purgeId) => hear(findErasure(sql, { purgeId })));
	const stop = async (): Promise<void> => {
		isStopped = true;
		await purged.unlisten();
		await reversed.unlisten();
	};
	isBehind = false;
	await compare().catch(async (error) => {
		await stop();
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
			{ count: lacked.length - ours.length },
			"erasures kept here were made under another pepper than the database's: they cannot be put back, and their entries may be served",
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
	if (count > 0) log.warn({ count }, `erasures were put back: ${RESTORED_REASON}`);
}

/** The other way round: what was reversed after the database's copy was made. */
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
	if (count > 0) log.warn({ count }, `reversals of erasures were put back: ${RESTORED_REASON}`);
}

const RESTORED_REASON = "this host kept them and the database did not know them, as one that was restored does not";

function toKept({ purgedAt, reversedAt, ...rest }: ErasureRow, pepper: string): KeptErasure {
	return { ...rest, pepper, purgedAt: purgedAt.toISOString(), reversedAt: reversedAt?.toISOString() ?? null };
}
