/**
 * The invoices that this process has acknowledged in the last minute, to store them again after a failover.
 *
 *   stored ──▶ kept ──▶ acknowledged                        a minute later, or beyond 64 MiB: forgotten
 *                │
 *                └─ another server took over ──▶ those that it lacks are stored again: same id, number, bytes and key
 *
 * Model: a standby that takes over may lack the last commits of the lost server. What it lacks is in the rings of the processes that wrote it. No
 * number is given until all of them have restored theirs (`refuseReconciling`), and readiness waits for the own one.
 *
 * Trust: the lost server may have sent a document already. So it is stored with an intent without a result, which leads to a query. A document whose
 * number or key another one has meanwhile stays away, and is logged; its company gets no numbers until they were reconciled.
 *
 * Failures: a restoration that fails begins again, and finds what it has stored. The rings of killed processes are lost: after a failover no number is given
 * then, until an operator has compared all numbers with the authority (`reconcileNumbers`).
 */
import type { Sql, Tx } from "../../../platform/database";
import { type IdempotencyKey, type StoredAnswer, saveAnswer } from "../../../platform/idempotency";
import type { Log, Metrics } from "../../../platform/telemetry";
import type { Clock } from "../../../platform/values";
import { noteUnreconciled } from "../../sequences";
import { writeStep } from "../model/steps";
import { findStatuses } from "../model/store";
import { insertFirstSteps, type StoreOutcome, storeParts, type ToStore } from "./issue-store";

/** Documents of one request, and the answer of a batch that is stored under its own key. */
export type Acknowledged = {
	readonly all: readonly ToStore[];
	readonly answer?: { readonly place: IdempotencyKey; readonly stored: StoredAnswer } | undefined;
};

export type AcknowledgedRing = {
	/** Keeps what has been stored; called before it is acknowledged. */
	readonly keep: (request: Acknowledged) => void;
	/** Stores again what the database lacks. */
	readonly restore: () => Promise<void>;
};

export type RingOptions = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly log: Log;
	readonly metrics: Pick<Metrics, "acknowledgementsRestored">;
	/** Notifies dispatchers of new messages. */
	readonly wake: () => void;
};

const KEPT_MS = 60_000;
const BYTES_MAX = 64 * 1024 * 1024;
/** Of what a document takes beyond its packed bytes and its acknowledgement. */
const OVERHEAD_BYTES = 2_048;
/** Documents of one transaction. */
const PART_MAX = 50;

type Kept = { readonly request: Acknowledged; readonly atMs: number; readonly bytes: number };

export function createAcknowledgedRing(options: RingOptions): AcknowledgedRing {
	let kept: Kept[] = [];
	let bytes = 0;
	const forget = (): void => {
		const since = performance.now() - KEPT_MS;
		let count = 0;
		for (const one of kept) {
			if (one.atMs >= since && bytes <= BYTES_MAX) break;
			bytes -= one.bytes;
			count++;
		}
		if (count > 0) kept = kept.slice(count);
	};
	// What no later request pushes out must not stay for ever.
	setInterval(forget, KEPT_MS / 4).unref();
	return {
		keep(request) {
			const own = request.all.reduce((sum, { row }) => sum + sizeOf(row), request.answer?.stored.answer.length ?? 0);
			kept.push({ request, atMs: performance.now(), bytes: own });
			bytes += own;
			// Not at each request: the list is copied.
			if (bytes > BYTES_MAX) forget();
		},
		restore: () =>
			restoreAll(
				options,
				kept.map(({ request }) => request),
			),
	};
}

const sizeOf = ({ packed, acknowledgement }: ToStore["row"]): number =>
	packed.length + acknowledgement.length + OVERHEAD_BYTES;

async function restoreAll(options: RingOptions, requests: readonly Acknowledged[]): Promise<void> {
	const { sql, log, metrics, wake } = options;
	const all = requests.flatMap((request) => request.all);
	const missing = new Set<ToStore>();
	for (const part of split(all)) {
		const found = await findStatuses(
			sql,
			part.map(({ row }) => row),
		);
		for (const one of part) if (!found.has(one.row.docId)) missing.add(one);
	}
	let restored = 0;
	for (const hasKey of [true, false])
		for (const part of split([...missing].filter(({ key }) => (key !== undefined) === hasKey))) {
			const outcomes = await sql.begin((tx) => storeAgain(tx, part, options.clock.now()));
			for (const [i, outcome] of outcomes.entries()) {
				const one = part[i] as ToStore;
				if (outcome === "stored") restored++;
				else {
					logLeft(log, one, outcome);
					await noteUnreconciled(sql, [one.row.tenantId], one.row.receivedAt);
				}
			}
		}
	for (const { answer, all: own } of requests) {
		if (answer && own.some((one) => missing.has(one)))
			await sql.begin((tx) => saveAnswer(tx, answer.place, answer.stored));
	}
	metrics.acknowledgementsRestored.inc(restored);
	log.warn(
		{ event: "acknowledged.restored", checked: all.length, missing: missing.size, restored },
		"another database server has taken over; acknowledged invoices that it lacked were stored again",
	);
	if (restored > 0) wake();
}

function split(all: readonly ToStore[]): ToStore[][] {
	const count = Math.ceil(all.length / PART_MAX);
	return Array.from({ length: count }, (_, i) => all.slice(i * PART_MAX, (i + 1) * PART_MAX));
}

/** Without its hold, which may be lost, and whatever its issuer is now. */
async function storeAgain(tx: Tx, part: readonly ToStore[], now: Date): Promise<StoreOutcome[]> {
	const again = part.map(({ row: { holdId: _, ...row }, key }): ToStore => ({ row, ...(key ? { key } : {}) }));
	const outcomes = await storeParts(tx, again);
	const at = now.toISOString();
	const detail = "stored again after a failover; it may have been sent before";
	const step = writeStep({
		intent: { n: 1, at },
		history: [{ version: 2, at, status: "pending", phase: "sending", detail }],
	});
	const stored = part.filter((_, i) => outcomes[i] === "stored").map(({ row }) => row);
	await insertFirstSteps(tx, stored, step);
	return outcomes;
}

function logLeft(log: Log, { row: { tenantId, docId, encf } }: ToStore, outcome: StoreOutcome): void {
	log.error(
		{ event: "acknowledged.lost", tenantId, docId, encf, outcome },
		"an acknowledged invoice could not be stored again",
	);
}
