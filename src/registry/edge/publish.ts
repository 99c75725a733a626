/** Writes what edges need into the store: at once after a key, an erasure or a run has changed, and every five seconds. */
import { copyKeys } from "../../identity/auth";
import type { ChangeFeed } from "../../platform/changes";
import { LOCKS, type Sql, type Tx } from "../../platform/database";
import type { Objects } from "../../platform/objects";
import { findSealedPepper } from "../../platform/secrets";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import { listTombstones } from "../erasure";
import { findLastAttempt, findLastGoodRun } from "../runs";
import { createSignature } from "../store";
import {
	EDGE_KEYS,
	EDGE_STATE,
	type EdgeState,
	isSameState,
	readSealed,
	readState,
	writeSealed,
	writeState,
} from "./edge-state";

type PublisherDeps = {
	readonly sql: Sql;
	readonly changes: ChangeFeed;
	readonly objects: Objects;
	readonly pepper: Uint8Array;
	readonly nextScheduled: () => Date | undefined;
	readonly clock: Clock;
	readonly log: Log;
};

const EVERY_MS = 5_000;
/** Another node has just confirmed the same state. */
const FRESH_MS = 4_000;
/** One node writes at a time, so that no older state replaces a newer one; a store that takes longer loses its turn. */
const TURN_MAX = "30s";

/** Starts to publish; the returned function ends it. A store that is away is logged once and tried again. */
export function startEdgePublisher(deps: PublisherDeps): () => Promise<void> {
	const { sql, objects, log } = deps;
	const signature = createSignature(deps.pepper);
	let isClosed = false;
	let isFailing = false;
	/** Why the next state is written. */
	let wanted: "change" | "tick" | undefined;
	let publishing: Promise<void> | undefined;

	const readLast = async (): Promise<EdgeState | undefined> => {
		const text = await objects.getText(EDGE_STATE);
		const payload = text === undefined ? undefined : signature.open(readSealed(text).signed);
		return payload === undefined ? undefined : readState(payload);
	};
	const publish = async (tx: Tx, isTick: boolean): Promise<void> => {
		await tx`select set_config('idle_in_transaction_session_timeout', ${TURN_MAX}, true)`;
		await tx`select pg_advisory_xact_lock(${LOCKS.registryEdge})`;
		const now = deps.clock.now();
		const last = await readLast();
		const isFresh = last !== undefined && now.getTime() - Date.parse(last.writtenAt) < FRESH_MS;
		if (isTick && isFresh) return;
		const { version, keys } = await copyKeys(tx, last?.keysVersion);
		const state: EdgeState = {
			writtenAt: now.toISOString(),
			keysVersion: version,
			erased: (await listTombstones(tx)).sort(),
			run: await findLastGoodRun(tx),
			lastAttempt: await findLastAttempt(tx),
			nextScheduled: deps.nextScheduled(),
		};
		if (isFresh && isSameState(last, state)) return;
		// Before the state that names their version.
		if (keys !== undefined) await objects.putContent(EDGE_KEYS, signature.sign(keys));
		const signed = signature.sign(writeState(state));
		await objects.putContent(EDGE_STATE, writeSealed(await findSealedPepper(tx), signed));
	};
	const publishAll = async (): Promise<void> => {
		while (wanted && !isClosed) {
			const isTick = wanted === "tick";
			wanted = undefined;
			try {
				await sql.begin((tx) => publish(tx, isTick));
				if (isFailing) log.info({ event: "store.edge_recovered" }, "keys and erasures for edges are written again");
				isFailing = false;
			} catch (err) {
				if (!isFailing) log.warn({ event: "store.edge_write_failed", err }, "keys and erasures for edges not written");
				isFailing = true;
			}
		}
	};
	const publishSoon = (reason: "change" | "tick"): void => {
		if (wanted !== "change") wanted = reason;
		publishing ??= publishAll().finally(() => {
			publishing = undefined;
			if (wanted && !isClosed) publishSoon(wanted);
		});
	};
	const onChange = () => publishSoon("change");
	const leave = deps.changes.follow({
		kinds: ["key", "registry-purged", "registry-purge-reversed", "registry-ingested"],
		...{ onChange, onGap: onChange },
	});
	onChange();
	const timer = setInterval(() => publishSoon("tick"), EVERY_MS);
	return async () => {
		isClosed = true;
		leave();
		clearInterval(timer);
		await publishing;
	};
}
