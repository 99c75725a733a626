/**
 * Listens for changes that any process makes to the tables of access, and knows until when it has received all of them.
 *
 * An open connection may be dead: the other end gone, packets lost. So each process sends a heartbeat to itself through the same channel,
 * several times a second. Notifications arrive in commit order, so a heartbeat that arrives proves that every change committed before it
 * was sent has arrived. `currentUntil` is the time when the last such heartbeat was sent. While heartbeats are missing it stands still, and
 * cached rows become stale.
 *
 * After a reconnect, which the driver does, changes may have been missed: `onGap` drops everything. What does not reload itself when stale
 * is reloaded by `onSilence`, every second without heartbeats.
 */

import type { Sql } from "../../platform/database";
import { CHANNELS, isConnectionFailure } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import { newId } from "../../platform/values";
import type { Grace } from "./grace";
import { sendHeartbeat } from "./store";

export type Change = {
	readonly kind: "key" | "client" | "token" | "signing-keys";
	/** Digest of the key in hex, client id, or `jti`; empty for signing keys. */
	readonly subject: string;
};

type ChangeFeed = {
	/** Units: milliseconds of `performance.now`. */
	readonly currentUntil: () => number;
	readonly close: () => Promise<void>;
};

const HEARTBEAT_EVERY_MS = 250;
const SILENCE_EVERY_MS = 1_000;
/** Long enough that a busy moment is not logged. */
const SILENT_AFTER_MS = 5_000;

/** Starts to listen; resolves when it does. */
export async function followChanges(deps: {
	sql: Sql;
	log: Log;
	onChange: (change: Change) => void;
	onGap: () => void;
	onSilence: () => void;
	/** Learns whether heartbeats can be sent and arrive. */
	grace: Grace;
}): Promise<ChangeFeed> {
	const { sql, log, onChange, onGap, onSilence, grace } = deps;
	const self = newId();
	let currentUntil = Number.NEGATIVE_INFINITY;
	let isClosed = false;
	let isSending = false;
	let isSilent = false;
	let silenceReportedAt = Number.NEGATIVE_INFINITY;

	const hear = (payload: string): void => {
		if (isClosed) return;
		const separator = payload.indexOf(":");
		const kind = payload.slice(0, separator);
		const subject = payload.slice(separator + 1);
		if (kind === "key" || kind === "client" || kind === "token" || kind === "signing-keys") onChange({ kind, subject });
		else if (kind === "beat" && subject.startsWith(`${self}/`)) {
			currentUntil = Math.max(currentUntil, Number(subject.slice(self.length + 1)));
			grace.noteAnswer();
		}
	};

	const beat = async (): Promise<void> => {
		// One at a time: heartbeats must not queue up at a slow database.
		if (isSending || isClosed) return;
		isSending = true;
		try {
			await sendHeartbeat(sql, `beat:${self}/${performance.now()}`);
		} catch (err) {
			if (isConnectionFailure(err)) grace.noteFailure();
			log.debug({ event: "access.heartbeat_failed", err }, "cannot send a heartbeat");
		} finally {
			isSending = false;
		}
	};

	const reportSilence = (): void => {
		const now = performance.now();
		if (now - Math.max(currentUntil, silenceReportedAt) < SILENCE_EVERY_MS) return;
		silenceReportedAt = now;
		onSilence();
	};

	const logSilence = (): void => {
		const isSilentNow = performance.now() - currentUntil > SILENT_AFTER_MS;
		if (isSilentNow && !isSilent)
			log.warn({ event: "access.listener_silent" }, "no access changes arrive; reading credentials again every second");
		if (!isSilentNow && isSilent) log.info({ event: "access.listener_recovered" }, "access changes arrive again");
		isSilent = isSilentNow;
	};

	const listening = await sql.listen(CHANNELS.accessChanged, hear, () => {
		if (!isClosed) onGap();
	});
	// Nothing is cached yet that could have changed before.
	currentUntil = performance.now();
	const timer = setInterval(() => {
		logSilence();
		reportSilence();
		void beat();
	}, HEARTBEAT_EVERY_MS);

	return {
		currentUntil: () => currentUntil,
		close: async () => {
			isClosed = true;
			clearInterval(timer);
			await listening
				.unlisten()
				.catch((err: unknown) => log.debug({ event: "access.unlisten_failed", err }, "the listener had already ended"));
		},
	};
}
