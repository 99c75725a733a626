/**
 * Gauges of what only the database knows: dead letters, due messages, expiring certificates. The first process reads them for all processes, at most
 * every 15 seconds, one statement after another on one connection.
 *
 * If the database is away or slow, these gauges are left out until it answers again. An old value says nothing of a queue that cannot be seen, and a
 * missing metric can raise an alert.
 */
import { countEnding } from "../../companies";
import { countKeptDays } from "../../invoicing/invoices";
import type { Sql } from "../../platform/database";
import { countUnowned } from "../../platform/lanes";
import { countDead, type KindFigure, measureDue, OUTBOX_KINDS } from "../../platform/outbox";
import type { Log, Metrics } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import { type Collector, withinScrape } from "./collect";

type DatabaseCollectorDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	/** Whole days that papers stay in the database. */
	readonly paperDays: number;
	readonly log: Log;
	readonly metrics: Metrics;
};

const READ_EVERY_MS = 15_000;
/** Reported as 0 from the start, so that an alert sees the first dead letter. Other kinds appear with their first. */
const KINDS = [OUTBOX_KINDS.submitInvoice, OUTBOX_KINDS.deliverWebhook];

export function createDatabaseCollector(deps: DatabaseCollectorDeps, readEveryMs = READ_EVERY_MS): Collector {
	const { metrics, log } = deps;
	const kinds = new Set<string>(KINDS);
	let reading: ReturnType<typeof readFigures> | undefined;
	let startedAtMs = Number.NEGATIVE_INFINITY;
	let isMissing = false;

	async function start(): ReturnType<typeof readFigures> {
		startedAtMs = performance.now();
		try {
			return await readFigures(deps);
		} finally {
			reading = undefined;
		}
	}

	return async () => {
		if (!reading && performance.now() - startedAtMs < readEveryMs) return;
		try {
			reading ??= start();
			const { dead, due, ending, unowned, keptDays } = await withinScrape(reading);
			for (const { kind } of [...dead, ...due]) kinds.add(kind);
			setAll(metrics.deadLetters, kinds, dead);
			setAll(metrics.dueOldest, kinds, due);
			metrics.shardsUnowned.set(unowned);
			metrics.paperDaysUnverified.set(keptDays);
			for (const [within, count] of Object.entries(ending)) metrics.certificatesEnding.set({ within }, count);
			isMissing = false;
		} catch (err) {
			for (const gauge of [metrics.deadLetters, metrics.dueOldest, metrics.certificatesEnding]) gauge.reset();
			if (!isMissing)
				log.warn({ event: "metrics.database_failed", err }, "database metrics could not be read; left out");
			isMissing = true;
		}
	};
}

async function readFigures({ sql, clock, paperDays }: DatabaseCollectorDeps) {
	const dead = await countDead(sql);
	const due = await measureDue(sql);
	const { in1d, in7d, in30d, ended } = await countEnding(sql, clock.now());
	const [unowned, keptDays] = [await countUnowned(sql), await countKeptDays(sql, paperDays)];
	return { dead, due, unowned, keptDays, ending: { "1d": in1d, "7d": in7d, "30d": in30d, ended } };
}

function setAll(gauge: Metrics["deadLetters"], kinds: ReadonlySet<string>, figures: readonly KindFigure[]): void {
	const byKind = new Map(figures.map(({ kind, figure }) => [kind, figure]));
	for (const kind of kinds) gauge.set({ kind }, byKind.get(kind) ?? 0);
}
