/** Regular work that nobody waits for: forgetting what has expired, counting numbers that were used up, telling of certificates, changing signing keys. Taken by one process at a time. */
import { Cron } from "croner";
import { sweepAuthorityStatus } from "../../authority/status";
import { enqueueDueNotices, settleAllDue } from "../../companies";
import { EVENTS_KEPT_DAYS } from "../../events/catalogue";
import { sweepEvents } from "../../events/feed";
import { sweepDeliveries } from "../../events/webhooks";
import { sweepSeeds } from "../../exchange/reception";
import type { Access } from "../../identity/auth";
import { sweepLimits } from "../../identity/rate-limits";
import { sweepWrites } from "../../identity/usage";
import { digestOpenDays } from "../../invoicing/reports";
import { settleNumbers } from "../../invoicing/sequences";
import { doClocksAgree, LOCKS, type Sql, tryLock } from "../../platform/database";
import { sweepExpired } from "../../platform/idempotency";
import { sweepSettled } from "../../platform/outbox";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";

export type HousekeepingDeps = {
	readonly sql: Sql;
	readonly access: Pick<Access, "sweep" | "rotateSigningKeyWhenDue">;
	readonly clock: Clock;
	readonly log: Log;
};

/** What is done at each turn, by the name under which the log tells of it; the answer is what the log tells. */
export type Chores = Readonly<Record<string, () => Promise<unknown>>>;

const EVERY_TEN_MINUTES = "*/10 * * * *";
const DONE_MESSAGES_KEPT_DAYS = 7;
/** Longer than the dead letters that some of them belong to. */
const DEAD_MESSAGES_KEPT_DAYS = 120;
const DEAD_LETTERS_KEPT_DAYS = 90;
const AUTHORITY_CALLS_KEPT_DAYS = 8;
const DAY_MS = 86_400_000;
/** Four kinds of things go in batches, and all turns together end before the next one. */
const BATCHES_MAX_MS = 2 * 60_000;

/** Starts the schedule; the answer stops it. */
export function startHousekeeping(deps: HousekeepingDeps): () => void {
	const chores = listChores(deps);
	const job = new Cron(EVERY_TEN_MINUTES, { timezone: "UTC", protect: true }, () => doChores(deps, chores));
	return () => job.stop();
}

/** In this order: a certificate whose day has come is written down before its owner is told of the one that it replaces. */
export function listChores({ sql, access, clock }: Omit<HousekeepingDeps, "log">): Chores {
	const daysAgo = (days: number) => new Date(clock.now().getTime() - days * DAY_MS);
	return {
		keys: () => inBatches(() => sweepExpired(sql)),
		messages: () => inBatches(() => sweepSettled(sql, DONE_MESSAGES_KEPT_DAYS, daysAgo(DEAD_MESSAGES_KEPT_DAYS))),
		deliveries: () => inBatches(() => sweepDeliveries(sql, daysAgo(EVENTS_KEPT_DAYS), daysAgo(DEAD_LETTERS_KEPT_DAYS))),
		events: () => inBatches(() => sweepEvents(sql, daysAgo(EVENTS_KEPT_DAYS))),
		tokens: () => access.sweep(),
		limits: () => sweepLimits(sql),
		seeds: () => sweepSeeds(sql, clock.now()),
		usageWrites: () => sweepWrites(sql),
		reportDigests: () => digestOpenDays(sql, clock),
		sequenceNumbers: () => settleNumbers(sql, clock),
		authorityCalls: () => sweepAuthorityStatus(sql, AUTHORITY_CALLS_KEPT_DAYS),
		signingKey: async () => (await access.rotateSigningKeyWhenDue())?.kid,
		certificatesSettled: () => settleAllDue(sql, clock.now()),
		certificateNotices: () => enqueueDueNotices(sql, clock.now()),
	};
}

/**
 * Takes one batch after another until nothing is left: what comes in a day must go in a day, however much it is. Between two it rests as long as
 * the last one took, so that whoever issues has the database's disk at least half of the time; after two minutes the rest waits for the next turn.
 */
async function inBatches(sweep: () => Promise<number>): Promise<number> {
	const endsAt = performance.now() + BATCHES_MAX_MS;
	for (let swept = 0; ; ) {
		const beganAt = performance.now();
		const count = await sweep();
		swept += count;
		const now = performance.now();
		if (count === 0 || now >= endsAt) return swept;
		await Bun.sleep(now - beganAt);
	}
}

/**
 * Does them one after another, unless another process is at it; one that fails keeps no other from its turn. Nothing is done by a clock that has
 * leapt: it would forget what is young. Never rejects.
 */
export async function doChores(
	{ sql, clock, log }: Pick<HousekeepingDeps, "sql" | "clock" | "log">,
	chores: Chores,
): Promise<void> {
	const done: Record<string, unknown> = {};
	const doAll = async (): Promise<void> => {
		for (const [chore, run] of Object.entries(chores)) {
			try {
				done[chore] = await run();
			} catch (err) {
				log.warn({ err, chore }, "a chore failed and is tried again at the next turn");
			}
		}
		log.info(done, "swept");
	};
	try {
		if (!(await doClocksAgree(sql, clock))) {
			log.warn("this machine's clock and the database's are apart: nothing is swept");
			return;
		}
		// The lock's transaction writes nothing: what is done stands or falls by itself.
		await sql.begin(async (tx) => {
			if (await tryLock(tx, LOCKS.housekeeping)) await doAll();
		});
	} catch (err) {
		log.warn({ err }, "housekeeping failed and is tried again at the next turn");
	}
}
