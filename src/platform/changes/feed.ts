/**
 * Follows the changes of all processes, and knows until when it has received all of them.
 *
 *   a change is committed ──▶ NOTIFY ──▶ a poll at once
 *                                        a poll every 250 ms in any case
 *
 * A poll that answers proves that every change committed before it was sent has been received: `currentUntil` is the time when the last
 * such poll was sent. While polls are not answered it stands still, and what is cached becomes stale. A poll that takes long is joined by
 * another one, because its connection may be dead.
 *
 * Changes may have been missed after a failed connection, on another server, or after a pause that is longer than changes are kept:
 * followers drop what they have (`onGap`).
 */
import { CHANNELS, isConnectionFailure, type Sql } from "../database";
import type { Log } from "../telemetry";
import { CHANGES_KEPT_MS, type ChangeKind, type ChangeRow, type Polled, pollChanges } from "./store";

export type Change = { readonly kind: ChangeKind; readonly subject: string };

export type ChangeFollower = {
	readonly kinds: readonly ChangeKind[];
	readonly onChange: (change: Change) => void;
	readonly onGap: () => void;
	/** Called every 250 ms while no poll has been answered for 750 ms. */
	readonly onSilence?: () => void;
	readonly onAnswer?: () => void;
	/** A poll found no connection. */
	readonly onFailure?: () => void;
};

export type ChangeFeed = {
	/** Changes that are committed from now on are passed on; the result ends that. */
	readonly follow: (follower: ChangeFollower) => () => void;
	/** Units: milliseconds of `performance.now`. */
	readonly currentUntil: () => number;
	readonly close: () => Promise<void>;
};

export type ChangeFeedDeps = {
	readonly sql: Sql;
	/** A pool of one connection that listens; absent behind a pooler, and then polls alone find the changes. */
	readonly listenSql?: Sql | undefined;
	readonly log: Log;
	/** Default: 250. */
	readonly everyMs?: number;
};

const EVERY_MS = 250;
/** From then on nothing is proven to be current, and a poll is taken for lost. */
const SILENT_AFTER_MS = 750;
/** Long enough that a busy moment is not logged. */
const LOGGED_AFTER_MS = 5_000;

/** Starts to poll; resolves after the first answer. */
export async function openChangeFeed({ sql, listenSql, log, everyMs = EVERY_MS }: ChangeFeedDeps): Promise<ChangeFeed> {
	const followers = new Set<ChangeFollower>();
	let currentUntil = performance.now();
	let last = await pollChanges(sql);
	/** When the newest poll under way was sent. */
	let pollingSince: number | undefined;
	let isWanted = false;
	let isBroken = false;
	let isClosed = false;
	let isSilent = false;

	const pass = (found: Polled): void => {
		const isOther = found.server !== last.server || found.atMs - last.atMs > CHANGES_KEPT_MS / 2;
		const hasGap = isOther || isBroken;
		isBroken = false;
		last = found;
		for (const follower of followers) {
			follower.onAnswer?.();
			if (hasGap) follower.onGap();
			for (const change of found.changes) if (isAbout(follower, change)) follower.onChange(change);
		}
	};
	const poll = async (): Promise<void> => {
		if (isClosed) return;
		const begunAt = performance.now();
		pollingSince = begunAt;
		isWanted = false;
		const since = last.snapshot;
		try {
			const found = await pollChanges(sql, since);
			// Another poll may have found the same meanwhile.
			if (!isClosed && last.snapshot === since) {
				currentUntil = Math.max(currentUntil, begunAt);
				pass(found);
			}
		} catch (err) {
			if (isClosed) return;
			if (isConnectionFailure(err)) {
				isBroken = true;
				for (const follower of followers) follower.onFailure?.();
			}
			log.debug({ event: "changes.poll_failed", err }, "cannot read the changes");
		}
		if (pollingSince === begunAt) pollingSince = undefined;
		if (isWanted && !isPolling()) void poll();
	};
	/** One poll at a time: they must not queue up at a slow database. */
	const isPolling = () => pollingSince !== undefined && performance.now() - pollingSince < SILENT_AFTER_MS;
	const pollAtOnce = (): void => {
		if (!isPolling()) return void poll();
		// The poll under way may have begun before the change.
		isWanted = true;
	};
	const logSilence = (silentMs: number): void => {
		if (silentMs > LOGGED_AFTER_MS === isSilent) return;
		isSilent = !isSilent;
		if (isSilent)
			log.warn({ event: "changes.silent" }, "changes cannot be read; what is cached is read again each time");
		else log.info({ event: "changes.recovered" }, "changes are read again");
	};

	const timer = setInterval(() => {
		const silentMs = performance.now() - currentUntil;
		logSilence(silentMs);
		if (silentMs > SILENT_AFTER_MS) for (const { onSilence } of followers) onSilence?.();
		if (!isPolling()) void poll();
	}, everyMs);
	// The driver listens again after a broken connection. A lost notification costs one interval.
	const listening = listenSql?.listen(CHANNELS.changes, pollAtOnce, pollAtOnce).catch((err: unknown) => {
		log.warn({ event: "changes.listen_failed", err }, "cannot listen for changes; polling only");
		return undefined;
	});

	return {
		follow: (follower) => {
			followers.add(follower);
			return () => followers.delete(follower);
		},
		currentUntil: () => currentUntil,
		close: async () => {
			isClosed = true;
			clearInterval(timer);
			// Its connection may have ended.
			await (await listening)?.unlisten().catch(() => undefined);
		},
	};
}

/** Kinds of newer versions have no followers here. */
function isAbout({ kinds }: ChangeFollower, change: ChangeRow): change is Change {
	return (kinds as readonly string[]).includes(change.kind);
}
