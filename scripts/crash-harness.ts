/**
 * Kills the service repeatedly with SIGKILL while invoices are posted, and counts losses.
 *
 *     bun scripts/crash-harness.ts                     200 invoices, 40 kills at random moments
 *     bun scripts/crash-harness.ts --points            also kills at each failpoint, 3 times each
 *     bun scripts/crash-harness.ts --smoke [--points]  40 invoices, 6 kills, each point once
 *     bun scripts/crash-harness.ts --points --times 20 --kills 200     the full size
 *     options: --kills N, --invoices N (at least; more are posted while kills are left), --times N for the points, --only POINT,…,
 *     --minutes N, after which no further kill starts
 *
 *   client ──POST, until 200 or 202──▶ service ──submit──▶ simulator (own process, own file)
 *     │ ledger                          │ ▲ SIGKILL            │ receptions
 *     │                                 │ └── supervisor       │
 *     │                                 └──webhook──▶ receiver │
 *     ▼                                               │ ledger ▼
 *   oracle ◀──────────────────────────────────────────┴────────┘   and the service's database and archive
 *
 * Only the service is killed. The client, receiver and supervisor are this process; the simulator is
 * a separate one. The service's embedded PostgreSQL dies with it and recovers from its files at the next start. A fifth
 * of the random kills happens while the service is still starting.
 *
 * The positions in a document's flow that matter, with the failpoint at each:
 *
 *   P01 before the key is written            before-key          P13 before the intent is committed       before-intent
 *   P02 after it, before the document        (none)              P14 intent stored, socket not written    after-intent
 *   P03 before COMMIT                        before-commit       P15 request's bytes written              after-request
 *   P04 after COMMIT, before the answer      after-commit        P16 answer's head is there               after-head
 *   P05 after a claim                        after-claim         P17 answer is there, not stored          after-answer
 *   P06 before the signing thread is called  before-sign         P18 reception stored                     after-received
 *   P07 in that thread, before it signs      in-sign-thread      P19 status read, not stored              after-status
 *   P08 signed, nothing stored               after-sign          P20 verdict to be committed              before-verdict
 *   P09 signed bytes written                 (none)              P21 verdict written, its event not       verdict-written
 *   P10 archive object's draft written       archive-written     P22 webhook sent, not recorded           after-webhook
 *   P11 object linked                        archive-linked      P23 around the move to the dead letters  before-, after-dead-letter
 *   P12 its folders synced                   archive-synced      P24 in the drain                         draining, drain-messages
 *
 * P02 and P09 cannot occur: one statement stores key, document, signed bytes and message. P21 is invisible from outside:
 * verdict and event are one transaction, and a kill between the two writes leaves neither. Further points: a number held for an unsigned document
 * (after-hold), a note waiting for its reference (note-held), a query about an ambiguous outcome (after-question), an archived object in its
 * index (archive-indexed), a webhook about to be sent (before-webhook), a void signed, about to be sent, answered (void-…), delivery to the
 * buyer (buyer-…). Summaries pass the same points.
 *
 * To reach all of them, some documents have a buyer in the directory, a third are summaries, one tenant uses service numbering, some documents get
 * a note at once, one tenant has a webhook that never works, ranges are voided throughout, and for `after-question` the authority
 * loses answers.
 *
 * harness/oracle.ts checks the outcome. Everything must also be final within 20 seconds of the last restart (a small run, which may share
 * its machine, gets longer).
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findEmbeddedUrl } from "../src/platform/database";
import { type Failpoint, INVOICE_FAILPOINTS } from "../src/platform/failpoints";
import { allDeliveries } from "../test/support/deliveries";
import { standings } from "../test/support/documents";
import { openLedger } from "../test/support/ledger";
import { BROKEN_PATH, openWebhookLedger, startReceiver } from "../test/support/ledger-receiver";
import { findFreePort, type Program, runAdmin, startService, startSimulator } from "../test/support/processes";
import { buildInvoice, buildNote, type HarnessTenant, registerTenant } from "../test/support/tenants";
import { type Acknowledged, type Client, startClient } from "./harness/client";
import { collectFacts, waitUntilFinal, withDatabase } from "./harness/facts";
import { judge } from "./harness/oracle";
import { printReport } from "./harness/report";
import {
	type AcknowledgedVoid,
	checkVoids,
	findStoredVoids,
	type VoidReception,
	voidUntilAcknowledged,
} from "./harness/voids";

const { values: options } = parseArgs({
	options: {
		smoke: { type: "boolean", default: false },
		points: { type: "boolean", default: false },
		kills: { type: "string" },
		invoices: { type: "string" },
		times: { type: "string" },
		only: { type: "string" },
		minutes: { type: "string" },
	},
});
const kills = Number(options.kills ?? (options.smoke ? 6 : 40));
const invoices = Number(options.invoices ?? (options.smoke ? 40 : 200));
const timesEach = options.points ? Number(options.times ?? (options.smoke ? 1 : 3)) : 0;
const minutesMax = Number(options.minutes ?? 600);
const points = INVOICE_FAILPOINTS.filter((point) => options.only?.split(",").includes(point) ?? true);

const TENANTS = 5;
/** One in so many invoices gets a note when acknowledged; one in so many gets a voided range. */
const NOTE_EVERY = 7;
/** Rare enough not to keep the simulator, which also plays this buyer, from its own work. */
const LISTED_EVERY = 5;
/** The taxpayer that the simulator plays. Its directory lists it, so accepted documents are delivered to it too. */
const LISTED = { rnc: "990000174", name: "CONTRIBUYENTE SIMULADO SRL" };
const VOID_EVERY = 12;
const PER_SECOND = 20;
const TILLS = 8;
const UNDECIDED_MAX = 100;
/** A small run may share its machine. */
const FINAL_WITHIN_MS = options.smoke ? 60_000 : 20_000;
const STRIKE_TIMEOUT_MS = options.smoke ? 180_000 : 60_000;
/** A holder that waits for a shared disk longer than its lease sends nothing. */
const LEASE_SECONDS = options.smoke ? 5 : 2;
const GIVE_UP_MS = 900_000;
const STARTING_KILL_SHARE = 0.2;

const folder = mkdtempSync(join(tmpdir(), "sello-crash-"));
const dataDir = join(folder, "data");
const violations: string[] = [];

/** A life of the service ends at a random moment or at a failpoint. */
type Life = Failpoint | "chance";

const rounds = Math.max(1, timesEach);
/** Rounds of some random kills and one kill at each point, so that a run that stops early has covered all of them. */
const lives: readonly Life[] = Array.from({ length: rounds }, (_, round): readonly Life[] => {
	const byChance = Math.floor((kills * (round + 1)) / rounds) - Math.floor((kills * round) / rounds);
	return [...Array.from({ length: byChance }, () => "chance" as const), ...(timesEach > 0 ? points : [])];
}).flat();

/** A failpoint fires at the latest at its nth hit: one to three unless it is hit constantly or once in a life. */
const PASSES_MAX: Partial<Record<Failpoint, number>> = {
	"after-request": 30,
	"after-head": 30,
	draining: 1,
	"drain-messages": 1,
};
const isOfDrain = (life: Life) => life === "draining" || life === "drain-messages";

async function main(): Promise<number> {
	const startedAt = performance.now();
	const simulator = startSimulator(folder, 200);
	const tenants: HarnessTenant[] = [];
	const webhooks = openWebhookLedger(join(folder, "webhooks.jsonl"));
	const acknowledged = openLedger<Acknowledged>(join(folder, "acknowledged.jsonl"));
	const receiver = await startReceiver(webhooks, (path) => tenants.find((t) => t.webhookPath === path)?.webhookSecret);
	const settings = {
		PORT: String(await findFreePort()),
		DATA_DIR: dataDir,
		AUTHORITY_URL: await simulator.ready,
		WEBHOOK_ALLOW: receiver.host,
		WEBHOOK_TIME_SCALE: "0.02",
		// The broken webhook's deliveries become dead letters quickly.
		WEBHOOK_MAX_RETRIES: "1",
		SHARD_LEASE_SECONDS: String(LEASE_SECONDS),
		LOG_LEVEL: "warn",
	};
	const start = (extra: Record<string, string> = {}) =>
		startService({ ...settings, ...extra }, join(folder, "service.log"));
	let service = start();
	try {
		const url = await service.ready;
		const created = await runAdmin(["keys", "create", "--plan", "unlimited", "--label", "harness"], settings);
		const { key } = created as { key: string };
		for (let n = 1; n <= TENANTS; n++) tenants.push(await registerTenant(url, key, n, receiver.host, ...kindOf(n)));
		await stop(service);

		let livesLeft = lives.length;
		const done = { chance: 0, point: 0 };
		const voids: AcknowledgedVoid[] = [];
		const voiding: Promise<unknown>[] = [];
		const client = startClient({
			url,
			tenants,
			ledger: acknowledged,
			perSecond: PER_SECOND,
			atOnceMax: TILLS,
			// A life may be too short for an invoice, and so may the next ones.
			giveUpMs: GIVE_UP_MS,
			holdsBack: () => acknowledged.count() - webhooks.count() > UNDECIDED_MAX,
			wantsMore: (posted) => livesLeft > 0 || posted < invoices,
			build: (tenant, n) => ({
				...buildInvoice(tenant, n, tenant === tenants[TENANTS - 1] ? { encf: "auto" } : {}),
				// A note has its document's buyer; a summary has none.
				...(n % 3 !== 0 && n % NOTE_EVERY !== 0 && n % LISTED_EVERY === 0 ? { customer: LISTED } : {}),
			}),
			followUp: (ack, tenant, n) => {
				if (n % VOID_EVERY === 0) {
					const work = voidUntilAcknowledged(url, tenant, n).then((done) => voids.push(done));
					voiding.push(work.catch((error) => violations.push(String(error))));
				}
				return n % NOTE_EVERY === 0 ? buildNote(tenant, n, ack.encf) : undefined;
			},
		});
		for (const life of lives) {
			if (client.hasFailed() || performance.now() - startedAt > minutesMax * 60_000) break;
			service = start(
				life === "chance" ? {} : { NODE_ENV: "test", FAULT_POINT: `${life}:${upTo(PASSES_MAX[life] ?? 3)}` },
			);
			await (life === "chance" ? killByChance(service, client) : untilStruck(service, life, settings.AUTHORITY_URL));
			livesLeft--;
			done[life === "chance" ? "chance" : "point"]++;
		}
		livesLeft = 0;
		service = start();
		await service.ready;
		await client.finished;
		await Promise.all(voiding);

		const databaseUrl = findEmbeddedUrl(dataDir);
		if (!databaseUrl) throw new Error("the service's database is not there");
		const secondsToFinal = await waitUntilFinal(databaseUrl, FINAL_WITHIN_MS, violations);
		const facts = await collectFacts({
			...{
				databaseUrl,
				archiveFolder: join(dataDir, "archive"),
				serviceUrl: url,
				simulatorUrl: settings.AUTHORITY_URL,
			},
			...{ tenants, acknowledged, webhooks },
		});
		const { counts, violations: found } = judge(facts);
		violations.push(...found);
		const others = await checkOthers(databaseUrl, settings.AUTHORITY_URL, voids);
		return printReport({
			name: "crash-harness",
			folder,
			violations,
			counts: {
				"kills by chance": done.chance,
				"fault points": timesEach > 0 ? points.length : 0,
				"kills at fault points": done.point,
				requests: client.requests(),
				...counts,
				...others,
				"seconds until all was final": secondsToFinal,
				"seconds in all": Math.round((performance.now() - startedAt) / 1000),
			},
		});
	} finally {
		await Promise.all([stop(service), stop(simulator)]);
		receiver.stop();
		webhooks.close();
		acknowledged.close();
	}
}

/** The differences between tenants: the first one's second webhook never works, the last one uses service numbering. */
function kindOf(n: number): [over: Record<string, unknown>, morePaths: readonly string[]] {
	if (n === TENANTS) return [{ settings: { sequenceMode: "service" } }, []];
	return [{}, n === 1 ? [BROKEN_PATH] : []];
}

type Exchange = {
	readonly kind: string;
	readonly issuerRnc: string;
	readonly encf: string;
	readonly state: number | null;
};

/** Checks everything that is not a document: voids, dead letters, messages, deliveries to buyers. */
async function checkOthers(
	databaseUrl: string,
	simulatorUrl: string,
	voids: readonly AcknowledgedVoid[],
): Promise<Record<string, number>> {
	const received = (await (await fetch(`${simulatorUrl}/_simulator/voids`)).json()) as VoidReception[];
	return withDatabase(databaseUrl, async (sql) => {
		violations.push(...checkVoids(voids, await findStoredVoids(sql), received));
		const exchanges = (await (await fetch(`${simulatorUrl}/_simulator/exchanges`)).json()) as Exchange[];
		const taken = exchanges.filter(({ kind, state }) => kind === "received" && state === 0);
		const bought = await sql<{ rnc: string; encf: string; state: string | null; kept: number }[]>`
			select c.rnc, i.encf, d.state, (
				select count(*)::int from buyer_papers a where a.doc_id = i.doc_id and a.acknowledgement is not null
			) as kept
			from ${standings(sql)} i join companies c using (tenant_id) left join buyer_deliveries d using (doc_id)
			where i.status = 'accepted' and i.customer_rnc = ${LISTED.rnc.replace(/\D/g, "")}`;
		for (const { rnc, encf, state, kept } of bought) {
			const times = taken.filter((one) => one.issuerRnc === rnc && one.encf === encf).length;
			if (state !== "delivered" || times !== 1 || kept === 0)
				violations.push(
					`${rnc} ${encf}: ${state} to its buyer, who took it ${times} times; ${kept} acknowledgements kept`,
				);
		}
		const [row] = await sql<{ dead: number; open: number; silent: number; notes: number }[]>`
			select (select count(*)::int from deliveries where status = 'dead') as dead,
				(select count(*)::int from ${allDeliveries(sql)} d where status not in ('delivered', 'dead')) as open,
				(
					select count(*)::int from ${standings(sql)} i where i.status <> 'pending'
						and not exists (select 1 from events e where e.doc_id = i.doc_id and e.event = 'invoice.' || i.status)
				) as silent,
				(select count(*)::int from documents where type = 34) as notes`;
		if (!row) throw new Error("a count has a row");
		if (row.open > 0) violations.push(`${row.open} deliveries are neither delivered nor dead`);
		if (row.silent > 0) violations.push(`${row.silent} verdicts have no event`);
		return {
			notes: row.notes,
			"taken by buyers": bought.length,
			"voids acknowledged": voids.length,
			"dead letters": row.dead,
		};
	});
}

/** Kills during start, or a moment after some acknowledgements. */
async function killByChance(service: Program, client: Client): Promise<void> {
	if (Math.random() < STARTING_KILL_SHARE) {
		await Bun.sleep(upTo(1_200));
	} else {
		await service.ready;
		const enough = client.acknowledged() + upTo(Math.ceil((2 * invoices) / Math.max(1, kills)) - 1);
		const deadline = performance.now() + STRIKE_TIMEOUT_MS;
		while (client.acknowledged() < enough && !service.hasEnded() && performance.now() < deadline) await Bun.sleep(5);
		await Bun.sleep(Math.random() * 500);
	}
	if (service.hasEnded()) violations.push(`the service ended by itself: ${await service.ended}`);
	service.kill("SIGKILL");
	await service.ended;
}

/** Waits until the armed failpoint has ended the service. */
async function untilStruck(service: Program, point: Failpoint, simulatorUrl: string): Promise<void> {
	if (point === "after-question") await loseAnswers(simulatorUrl);
	if (isOfDrain(point)) void service.ready.then(() => Bun.sleep(upTo(500))).then(() => service.kill("SIGTERM"));
	const timer = setTimeout(() => {
		violations.push(`the fault point ${point} was not passed within ${STRIKE_TIMEOUT_MS / 1000} s`);
		service.kill("SIGKILL");
	}, STRIKE_TIMEOUT_MS);
	const ending = await service.ended;
	clearTimeout(timer);
	if (ending !== "SIGKILL") violations.push(`the service was to die at ${point} and ended by itself: ${ending}`);
}

async function stop(program: Program): Promise<void> {
	program.kill("SIGTERM");
	await program.ended;
}

/** Makes the authority accept the next documents without an answer, so that the service has to query. */
async function loseAnswers(simulatorUrl: string): Promise<void> {
	for (const operation of ["receive", "receive-summary"]) {
		const fault = { operation, mode: "reset-after", count: 4 };
		const answer = await fetch(`${simulatorUrl}/_simulator/faults`, { method: "POST", body: JSON.stringify(fault) });
		if (answer.status !== 201) throw new Error(`the fault was not set: ${await answer.text()}`);
	}
}

/** A random integer from 1 to `most`. */
function upTo(most: number): number {
	return 1 + Math.floor(Math.random() * Math.max(1, most));
}

const exitCode = await main();
if (exitCode === 0) rmSync(folder, { recursive: true, force: true });
process.exit(exitCode);
