/** Housekeeping, every ten minutes in one process at a time: deletes what has expired, counts used numbers, sends certificate notices, rotates signing keys. */
import { Cron } from "croner";
import { sweepAuthorityStatus } from "../../authority/status";
import { enqueueDueNotices, settleAllDue } from "../../companies";
import { EVENTS_KEPT_DAYS } from "../../events/catalogue";
import { sweepEvents } from "../../events/feed";
import { sweepSeeds } from "../../exchange/reception";
import type { Access } from "../../identity/auth";
import { sweepLimits } from "../../identity/rate-limits";
import { sweepSessions } from "../../identity/sessions";
import { sweepWrites } from "../../identity/usage";
import { sweepUsers } from "../../identity/users";
import { settlePrepared, sweepPrepared } from "../../invoicing/prepared";
import { digestOpenDays, foldDue } from "../../invoicing/reports";
import { settleNumbers } from "../../invoicing/sequences";
import { sweepChanges } from "../../platform/changes";
import { doClocksAgree, LOCKS, maintainPartitions, type Sql, tryLock } from "../../platform/database";
import { sweepDead } from "../../platform/outbox";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import { orderDigests, orderFillings, sweepDigests } from "../../registry";

type HousekeepingDeps = {
	readonly sql: Sql;
	readonly access: Pick<Access, "sweep" | "rotateSigningKeyWhenDue">;
	readonly clock: Clock;
	readonly log: Log;
	/** Absent in processes without the archive. */
	readonly dropPapers?: () => Promise<readonly string[]>;
};

/** Each chore by its name in the log; the log line has its result. */
export type Chores = Readonly<Record<string, () => Promise<unknown>>>;

const EVERY_TEN_MINUTES = "*/10 * * * *";
/** Longer than dead letters, to which some of them belong. */
const DEAD_MESSAGES_KEPT_DAYS = 120;
const DEAD_LETTERS_KEPT_DAYS = 90;
const AUTHORITY_CALLS_KEPT_DAYS = 8;
/** Links in older mails no longer work, unless they were used. */
const DIGESTS_KEPT_DAYS = 90;
/** A browser that a person has not used for longer counts as a new one. */
const SESSIONS_KEPT_DAYS = 90;
const LINKS_KEPT_DAYS = 1;
const DAY_MS = 86_400_000;
/** Four chores run in batches, and together they must end before the next run. */
const BATCHES_MAX_MS = 2 * 60_000;

/** Starts the schedule; the returned function stops it. */
export function startHousekeeping(deps: HousekeepingDeps): () => void {
	const chores = listChores(deps);
	const job = new Cron(EVERY_TEN_MINUTES, { timezone: "UTC", protect: true }, () => runChores(deps, chores));
	return () => job.stop();
}

/** The order matters: a certificate that becomes active is recorded before notices about the one that it replaces. */
export function listChores({ sql, access, clock, dropPapers }: Omit<HousekeepingDeps, "log">): Chores {
	const daysAgo = (days: number) => new Date(clock.now().getTime() - days * DAY_MS);
	return {
		partitions: () => maintainPartitions(sql),
		...(dropPapers ? { papers: dropPapers } : {}),
		// Before old events go, by which is known what is not folded yet.
		reportSums: () => foldDue(sql, clock),
		changes: () => sweepChanges(sql),
		messages: () => inBatches(() => sweepDead(sql, daysAgo(DEAD_MESSAGES_KEPT_DAYS))),
		events: () => inBatches(() => sweepEvents(sql, daysAgo(EVENTS_KEPT_DAYS), daysAgo(DEAD_LETTERS_KEPT_DAYS))),
		tokens: () => access.sweep(),
		sessions: () => sweepSessions(sql, daysAgo(SESSIONS_KEPT_DAYS)),
		links: () => sweepUsers(sql, daysAgo(LINKS_KEPT_DAYS)),
		limits: () => sweepLimits(sql),
		seeds: () => sweepSeeds(sql, clock.now()),
		usageWrites: () => sweepWrites(sql),
		reportDigests: () => digestOpenDays(sql, clock),
		preparedSettled: () => settlePrepared(sql),
		preparedInvoices: () => inBatches(() => sweepPrepared(sql)),
		sequenceNumbers: () => settleNumbers(sql, clock),
		authorityCalls: () => sweepAuthorityStatus(sql, AUTHORITY_CALLS_KEPT_DAYS),
		signingKey: async () => (await access.rotateSigningKeyWhenDue())?.kid,
		watchlistFillings: () => orderFillings(sql, clock.now()),
		watchlistDigests: () => orderDigests(sql, clock.now()),
		digestMails: () => sweepDigests(sql, daysAgo(DIGESTS_KEPT_DAYS)),
		certificatesSettled: () => settleAllDue(sql, clock.now()),
		certificateNotices: () => enqueueDueNotices(sql, clock.now()),
	};
}

/**
 * Runs a sweep until nothing is left, because whatever arrives in a day must also be deleted within a day. It pauses after each batch for as long as the
 * batch took, so that requests have the disk for at least half of the time. After two minutes the rest waits for the next run.
 */
async function inBatches(sweep: () => Promise<number>): Promise<number> {
	const endsAt = performance.now() + BATCHES_MAX_MS;
	for (let swept = 0; ; ) {
		const startedAt = performance.now();
		const count = await sweep();
		swept += count;
		const now = performance.now();
		if (count === 0 || now >= endsAt) return swept;
		await Bun.sleep(now - startedAt);
	}
}

/**
 * Runs the chores one after another, unless another process does; a chore that fails does not stop the others. Does nothing if the clock has jumped, since
 * it would delete what is young. Never rejects.
 */
export async function runChores(
	{ sql, clock, log }: Pick<HousekeepingDeps, "sql" | "clock" | "log">,
	chores: Chores,
): Promise<void> {
	const done: Record<string, unknown> = {};
	const runAll = async (): Promise<void> => {
		for (const [chore, run] of Object.entries(chores)) {
			try {
				done[chore] = await run();
			} catch (err) {
				log.warn({ event: "housekeeping.chore_failed", err, chore }, "chore failed; trying again at the next run");
			}
		}
		log.info({ event: "housekeeping.done", ...done }, "housekeeping done");
	};
	try {
		if (!(await doClocksAgree(sql, clock))) {
			log.warn({ event: "housekeeping.skipped" }, "clock differs from the database's; nothing deleted");
			return;
		}
		// The transaction only holds the lock; each chore has its own.
		await sql.begin(async (tx) => {
			if (await tryLock(tx, LOCKS.housekeeping)) await runAll();
		});
	} catch (err) {
		log.warn({ event: "housekeeping.failed", err }, "housekeeping failed; trying again at the next run");
	}
}
