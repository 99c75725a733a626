/** Regular work that nobody waits for: forgetting what has expired, telling of certificates, changing signing keys. Taken by one process at a time. */
import { Cron } from "croner";
import type { Access } from "./access";
import { sweepAuthorityStatus } from "./authority-status";
import { tellOfCertificates } from "./certificate-notices";
import type { Sql } from "./database";
import { sweepExpired } from "./idempotency";
import { sweepLimits } from "./limits";
import { sweepDone } from "./outbox";
import { sweepSeeds } from "./reception";
import { digestOpenDays } from "./reports";
import type { Log } from "./telemetry";
import { sweepWrites } from "./usage";
import type { Clock } from "./values";
import { sweepDeliveries, sweepEvents } from "./webhooks";

const EVERY_TEN_MINUTES = "*/10 * * * *";
const DONE_MESSAGES_KEPT_DAYS = 7;
/** Events, and deliveries that are over. */
const EVENTS_KEPT_DAYS = 30;
const DEAD_LETTERS_KEPT_DAYS = 90;
const AUTHORITY_CALLS_KEPT_DAYS = 8;
const DAY_MS = 86_400_000;
/** Advisory lock of the sweeper; the number is arbitrary. */
const LOCK = 7_301_003;

/** Starts the schedule; the answer stops it. */
export function startHousekeeping(deps: {
	sql: Sql;
	access: Pick<Access, "sweep" | "rotateSigningKeyWhenDue">;
	clock: Clock;
	log: Log;
}): () => void {
	const { sql, log } = deps;
	const daysAgo = (days: number) => new Date(deps.clock.now().getTime() - days * DAY_MS);
	const job = new Cron(EVERY_TEN_MINUTES, { timezone: "UTC", protect: true }, async () => {
		try {
			const swept = await sql.begin(async (tx) => {
				const [row] = await tx<{ held: boolean }[]>`select pg_try_advisory_xact_lock(${LOCK}) as held`;
				if (!row?.held) return undefined;
				return {
					keys: await sweepExpired(sql),
					messages: await sweepDone(sql, DONE_MESSAGES_KEPT_DAYS),
					deliveries: await sweepDeliveries(sql, daysAgo(EVENTS_KEPT_DAYS), daysAgo(DEAD_LETTERS_KEPT_DAYS)),
					events: await sweepEvents(sql, daysAgo(EVENTS_KEPT_DAYS)),
					tokens: await deps.access.sweep(),
					limits: await sweepLimits(sql),
					seeds: await sweepSeeds(sql, deps.clock.now()),
					usageWrites: await sweepWrites(sql),
					reportDigests: await digestOpenDays(sql, deps.clock),
					authorityCalls: await sweepAuthorityStatus(sql, AUTHORITY_CALLS_KEPT_DAYS),
					signingKey: (await deps.access.rotateSigningKeyWhenDue())?.kid,
					certificateNotices: await tellOfCertificates(sql, deps.clock.now()),
				};
			});
			if (swept) log.info(swept, "swept");
		} catch (error) {
			log.warn({ err: error }, "sweeping failed and is tried again at the next turn");
		}
	});
	return () => job.stop();
}
