/**
 * Finds what a failover has lost, and lets numbers be given again.
 *
 *   living processes restore what they acknowledged ─▶ index of the archive ─▶ numbers that the archive proves ─▶ each company: the authority's numbers
 *
 * Companies get numbers again one by one. One that the authority does not answer for waits for the next run.
 */
import type { Config } from "../../src/app/config/config";
import { createAuthority, type Signatory } from "../../src/authority/client";
import type { Args } from "../../src/cli";
import { createKeyRing, openEngine, signReceivedXml } from "../../src/ecf/signing";
import { operatorActor, recordAudit } from "../../src/identity/audit-log";
import {
	listUnreconciled,
	noteAllUnreconciled,
	type Reconciled,
	reconcileNumbers,
} from "../../src/invoicing/sequences";
import { createSemaphore } from "../../src/platform/concurrency";
import type { Sql } from "../../src/platform/database";
import { forgetProcesses, listUnreported } from "../../src/platform/fleet";
import { createEnvelope } from "../../src/platform/secrets";
import { createLog } from "../../src/platform/telemetry";
import { systemClock } from "../../src/platform/values";
import { type Context, type Result, type Runs, UsageError } from "./command";
import { completeFromArchive, takeBeyond } from "./complete";

export const fleetCommands = {
	"fleet reconcile": reconcile,
} satisfies Runs;

/** Numbers in a row that the authority does not know. */
const SKIP = { usual: 20, max: 1_000 } as const;
const COMPANIES_AT_ONCE = 8;
/** A process that was killed counts as living for a minute. */
const PATIENCE_MS = 90_000;
const LOOK_MS = 1_000;
/** How far the clocks of processes and database may differ. */
const CLOCK_SKEW_MS = 3_600_000;
const TIMEOUTS = { connectTimeoutMs: 3_000, answerTimeoutMs: 10_000 } as const;

/** Exits with 1 if a company still gets no numbers, or the archive could not be read into the index. */
async function reconcile(context: Context, args: Args): Promise<Result> {
	const { config, sql } = context;
	const skip = Number(args.text("skip") ?? SKIP.usual);
	if (!Number.isInteger(skip) || skip < 1 || skip > SKIP.max)
		throw new UsageError(`expected --skip to be a number from 1 to ${SKIP.max}, got ${args.text("skip")}`);
	const authority = openAuthority(context);
	const gone = await noteLost(sql, args.has("all"));
	const waiting = await listUnreconciled(sql);
	if (waiting.length === 0) return { data: { processes: gone, companies: [], remark: "no company waits for numbers" } };
	const archive = await completeFromArchive(sql, config, config.environment);
	const since = Math.min(...waiting.map((one) => one.since.getTime()));
	const beyond = await takeBeyond(sql, new Date(since));
	const turns = createSemaphore(COMPANIES_AT_ONCE);
	const deps = { sql, clock: systemClock, authority };
	const companies = await Promise.all(
		waiting.map(({ tenantId }) => turns.run(() => reconcileNumbers(deps, tenantId, skip))),
	);
	const left = companies.filter((one) => "left" in one).length;
	await recordRun(sql, companies, left);
	const isWhole = left === 0 && archive.refused === undefined && archive.faults.length === 0;
	return { data: { processes: gone, archive, beyond, companies }, exitCode: isWhole ? 0 : 1 };
}

/** From then on companies wait one by one, instead of all for processes that are gone. Returns the names of these. Throws: UsageError. */
async function noteLost(sql: Sql, isForAll: boolean): Promise<string[]> {
	const isOverMs = performance.now() + PATIENCE_MS;
	let unreported = await listUnreported(sql);
	// Whatever they still have is better than what is known elsewhere, and would collide with it.
	while (unreported.some(({ isSeen }) => isSeen)) {
		if (performance.now() > isOverMs) {
			const nodes = unreported.filter(({ isSeen }) => isSeen).map(({ node }) => node);
			throw new UsageError(
				`these processes live and have not stored again what they acknowledged: ${nodes.join(", ")}`,
			);
		}
		await Bun.sleep(LOOK_MS);
		unreported = await listUnreported(sql);
	}
	if (unreported.length === 0 && !isForAll) return [];
	const since = isForAll ? 0 : Math.min(...unreported.map(({ seenAt }) => seenAt.getTime())) - CLOCK_SKEW_MS;
	await sql.begin(async (tx) => {
		await noteAllUnreconciled(tx, new Date(since));
		await forgetProcesses(
			tx,
			unreported.map(({ id }) => id),
		);
	});
	return unreported.map(({ node }) => node);
}

/** Throws: UsageError without an address. */
function openAuthority({ config, kekFile }: Context) {
	const urls = needUrls(config);
	const keys = createKeyRing({
		envelope: createEnvelope({ file: kekFile }),
		engine: openEngine(config.signEngine).engine,
	});
	return createAuthority<Signatory>({
		urls,
		clock: systemClock,
		log: createLog("silent", "admin"),
		signSeed: async (seed, { identity, profile }) =>
			signReceivedXml(seed, keys.open(identity), { profile, signedAt: systemClock.now() }),
		...TIMEOUTS,
	});
}

function needUrls({ authorityUrls }: Config): NonNullable<Config["authorityUrls"]> {
	if (authorityUrls) return authorityUrls;
	throw new UsageError("AUTHORITY_URL is needed, as your service has it");
}

async function recordRun(sql: Sql, companies: readonly Reconciled[], left: number): Promise<void> {
	const known = companies.reduce((sum, one) => sum + ("known" in one ? one.known.length : 0), 0);
	const skipped = companies.reduce((sum, one) => sum + ("known" in one ? one.skipped : 0), 0);
	await sql.begin((tx) =>
		recordAudit(tx, {
			...{ at: systemClock.now(), actor: operatorActor(), action: "fleet.reconcile", subject: "sequences" },
			details: { companies: companies.length, left, known, skipped },
		}),
	);
}
