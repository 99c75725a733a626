/**
 * What the metrics tell of things that stand in the database alone: dead letters, what is due, certificates that end. Read by the first process for
 * all when somebody asks, every 15 seconds at most, one statement after another on one connection.
 *
 * A database that is away, or late, costs these figures and nothing else: they are left out until they are read again, since what was true before says
 * nothing of a queue that nobody can see, and a figure that is missing can be alerted on.
 */
import { countEnding } from "../../companies";

import { countDead, type KindFigure, measureDue, OUTBOX_KINDS } from "../../platform/outbox";
import type { Metrics } from "../../platform/telemetry";
import type { Ground } from "../infrastructure";
import { inTime } from "./with-timeout";

export type TellFigures = () => Promise<void>;

type Deps = Pick<Ground, "sql" | "clock" | "log"> & { readonly metrics: Metrics };

const READ_EVERY_MS = 15_000;
/** Told from the beginning, so that a first one is seen to be more than none; other kinds once they have had one. */
const KINDS = [OUTBOX_KINDS.submitInvoice, OUTBOX_KINDS.deliverWebhook];

export function openTellFigures(deps: Deps, readEveryMs = READ_EVERY_MS): TellFigures {
	const { metrics, log } = deps;
	const kinds = new Set<string>(KINDS);
	let reading: Promise<Figures> | undefined;
	let begunAtMs = Number.NEGATIVE_INFINITY;
	let isMissing = false;

	async function begin(): Promise<Figures> {
		begunAtMs = performance.now();
		try {
			return await readFigures(deps);
		} finally {
			reading = undefined;
		}
	}

	return async () => {
		if (!reading && performance.now() - begunAtMs < readEveryMs) return;
		try {
			reading ??= begin();
			const { dead, due, ending } = await inTime(reading);
			for (const { kind } of [...dead, ...due]) kinds.add(kind);
			setAll(metrics.deadLetters, kinds, dead);
			setAll(metrics.dueOldest, kinds, due);
			for (const [within, count] of Object.entries(ending)) metrics.certificatesEnding.set({ within }, count);
			isMissing = false;
		} catch (error) {
			for (const gauge of [metrics.deadLetters, metrics.dueOldest, metrics.certificatesEnding]) gauge.reset();
			if (!isMissing)
				log.warn({ err: error }, "figures of the database could not be read and are left out of the metrics");
			isMissing = true;
		}
	};
}

type Figures = Awaited<ReturnType<typeof readFigures>>;

async function readFigures({ sql, clock }: Deps) {
	const dead = await countDead(sql);
	const due = await measureDue(sql);
	const { in1d, in7d, in30d, ended } = await countEnding(sql, clock.now());
	return { dead, due, ending: { "1d": in1d, "7d": in7d, "30d": in30d, ended } };
}

function setAll(gauge: Metrics["deadLetters"], kinds: ReadonlySet<string>, figures: readonly KindFigure[]): void {
	const told = new Map(figures.map(({ kind, figure }) => [kind, figure]));
	for (const kind of kinds) gauge.set({ kind }, told.get(kind) ?? 0);
}
