/**
 * Sends SIGTERM to a service under load, round after round, and counts cut requests.
 *
 *     bun scripts/drain-rounds.ts              50 rounds
 *     bun scripts/drain-rounds.ts --smoke      3 rounds
 *     options: --rounds N
 *
 * A round: the service starts on a PostgreSQL that outlives it. Ten keep-alive connections carry 50 invoices and look-ups a second, and one
 * more waits for a verdict that does not come. At a random moment the service gets SIGTERM. The load continues, also on new connections,
 * until the port is closed.
 *
 * A keep-alive connection may be closed at any time, and bytes that reach a closed socket are lost without fault: the caller may repeat
 * them. So an unanswered request counts as `too late` unless there is proof that the service had it:
 *
 *   part of an answer came                                  → cut
 *   the service's log names its request id                  → cut: the application had it
 *   the invoice that it posts is stored                     → cut: the application had it
 *   it waited a second on an open connection before the end → cut: there was time to read it
 *   none of these: the connection ended before it was read  → too late
 *
 * Nothing is too late before SIGTERM. Also required: every answer is a 2xx; the exit code is 0 within 10 seconds; no outbox message stays
 * held; readiness turns 503 before the first connection is refused, and never back; every acknowledged invoice is stored. A small run,
 * which
 * may share its machine, allows 30 seconds for the exit and 5 for the second above.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { connect, type Sql, startEmbeddedPostgres } from "../src/platform/database";
import { findFreePort, type Program, runAdmin, startService, startSimulator } from "../test/support/processes";
import { NOT_SENT, openConnection, type RawOutcome, type RawRequest, writeRequest } from "../test/support/raw-http";
import { buildInvoice, type HarnessTenant, registerTenant } from "../test/support/tenants";
import { printReport } from "./harness/report";

const { values: options } = parseArgs({
	options: { smoke: { type: "boolean", default: false }, rounds: { type: "string" } },
});
const rounds = Number(options.rounds ?? (options.smoke ? 3 : 50));

const CONNECTIONS = 10;
const PER_SECOND = 50;
/** A small run may share its machine. */
const EXIT_WITHIN_MS = options.smoke ? 30_000 : 10_000;
const PROBE_EVERY_MS = 20;
/** After this wait on an open connection, a request counts as read. */
const READ_WITHIN_MS = options.smoke ? 5_000 : 1_000;
/** A buyer for which the simulated authority never answers. */
const SILENT_BUYER = { rnc: "000000004", name: "AUTORIDAD MUDA" };

type Sent = {
	readonly requestId: string;
	/** The number of the posted invoice. */
	readonly encf: string | undefined;
	readonly outcome: RawOutcome;
	readonly sentAt: number;
	readonly afterTerm: boolean;
};

type Round = {
	readonly sent: readonly Sent[];
	/** When a new connection was last accepted. */
	readonly listenedUntil: number;
};

const counts = {
	rounds: 0,
	requests: 0,
	"requests answered": 0,
	"answered after SIGTERM": 0,
	"requests cut": 0,
	"too late, connection closed before": 0,
	"too late, sent after the listener had closed": 0,
	"too late, sent before": 0,
	"answers that are no 2xx": 0,
	"invoices acknowledged": 0,
	"acknowledged and not stored": 0,
	"exits other than 0": 0,
	"exits too late": 0,
	"slowest exit ms": 0,
	"shards left held": 0,
	"rounds without a 503 first": 0,
};
const violations: string[] = [];
const violate = (count: keyof typeof counts, sentence: string) => {
	counts[count]++;
	violations.push(`${count}: ${sentence}`);
};

const folder = mkdtempSync(join(tmpdir(), "sello-drain-"));
let invoiceNumber = 1;

async function main(): Promise<number> {
	mkdirSync(join(folder, "database"));
	const postgres = await startEmbeddedPostgres(join(folder, "database"));
	const sql = connect({ url: postgres.url, name: "sello harness", connectionsMax: 2 });
	const simulator = startSimulator(folder, 200);
	const settings = {
		PORT: String(await findFreePort()),
		DATA_DIR: join(folder, "data"),
		DATABASE_URL: postgres.url,
		AUTHORITY_URL: await simulator.ready,
		SHARD_LEASE_SECONDS: "15",
		LOG_LEVEL: "info",
	};
	let service: Program | undefined;
	try {
		let tenant: HarnessTenant | undefined;
		for (let round = 1; round <= rounds; round++) {
			const logPath = join(folder, `service-${round}.log`);
			service = startService(settings, logPath);
			const url = await service.ready;
			if (!tenant) {
				const created = await runAdmin(["keys", "create", "--plan", "unlimited", "--label", "harness"], settings);
				tenant = await registerTenant(url, (created as { key: string }).key, 1);
			}
			const ended = await drainUnderLoad(service, Number(settings.PORT), tenant, round);
			await judgeRound(round, ended, readFileSync(logPath, "utf8"), sql);
			counts.rounds++;
		}
		return printReport({ name: "drain-rounds", counts, violations, folder });
	} finally {
		service?.kill("SIGKILL");
		await service?.ended;
		simulator.kill("SIGTERM");
		await simulator.ended;
		await sql.end({ timeout: 2 });
		await postgres.stop();
	}
}

/** One round: load, SIGTERM, load until the port is closed. */
async function drainUnderLoad(service: Program, port: number, tenant: HarnessTenant, round: number): Promise<Round> {
	const sent: Sent[] = [];
	let terminated = false;
	const isOver = () => service.hasEnded();
	const carry = async (
		request: RawRequest,
		encf: string | undefined,
		outcomeOf: (bytes: Uint8Array) => Promise<RawOutcome>,
	) => {
		const requestId = crypto.randomUUID();
		const sentAt = performance.now();
		const outcome = await outcomeOf(
			writeRequest({ ...request, headers: { ...request.headers, "x-request-id": requestId } }),
		);
		sent.push({ requestId, encf, outcome, sentAt, afterTerm: terminated });
		return outcome;
	};

	async function load(n: number): Promise<void> {
		await Bun.sleep((n * 1_000) / PER_SECOND);
		let connection = await openConnection(port);
		for (let i = 0; !isOver(); i++) {
			const { request, encf } = (n + i) % 2 === 0 ? lookUp(tenant) : post(tenant);
			const outcome = await carry(request, encf, connection.send);
			if (outcome.kind === "ended" || !connection.isOpen() || closes(outcome)) {
				connection.close();
				const next = await openConnection(port).catch(() => undefined);
				if (!next) return;
				connection = next;
			}
			await Bun.sleep((CONNECTIONS * 1_000) / PER_SECOND);
		}
		connection.close();
	}

	/** An idle connection without any request must not keep the service from exiting. */
	const idle = await openConnection(port);
	const waiting = await openConnection(port);
	const { request, encf } = post(tenant, { type: "31", customer: SILENT_BUYER }, { prefer: "wait=25" });
	const waited = carry(request, encf, waiting.send);
	const loads = Array.from({ length: CONNECTIONS }, (_, n) => load(n));
	const probing = probe(port, round, () => terminated, isOver);
	await Bun.sleep(400 + Math.random() * 1_200);

	terminated = true;
	const terminatedAt = performance.now();
	service.kill("SIGTERM");
	const ending = await Promise.race([service.ended, Bun.sleep(3 * EXIT_WITHIN_MS).then(() => "nothing yet")]);
	const exitMs = Math.round(performance.now() - terminatedAt);
	counts["slowest exit ms"] = Math.max(counts["slowest exit ms"], exitMs);
	if (ending !== 0) violate("exits other than 0", `round ${round} ended with ${ending}`);
	if (exitMs > EXIT_WITHIN_MS) violate("exits too late", `round ${round} took ${exitMs} ms`);
	service.kill("SIGKILL");
	await Promise.all([...loads, waited]);
	idle.close();
	waiting.close();
	return { sent, listenedUntil: await probing };
}

function closes(outcome: RawOutcome): boolean {
	return outcome.kind === "answered" && outcome.answer.headers.connection?.toLowerCase() === "close";
}

function lookUp(tenant: HarnessTenant): { request: RawRequest; encf: undefined } {
	const path = "/v1/authority/document/131880681";
	return { request: { method: "GET", path, headers: tenant.headers }, encf: undefined };
}

function post(tenant: HarnessTenant, over: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
	// Skips the numbers of small consumer invoices: they get their verdict in the response, and these need several steps.
	const invoice = buildInvoice(tenant, 3 * invoiceNumber++ + 1, over);
	const request: RawRequest = {
		method: "POST",
		path: "/v1/invoices",
		headers: {
			...tenant.headers,
			...headers,
			"content-type": "application/json; charset=utf-8",
			"idempotency-key": crypto.randomUUID(),
		},
		body: JSON.stringify(invoice),
	};
	return { request, encf: invoice.encf };
}

/** Polls readiness on fresh connections and expects 200 … 503 … refused, in this order. */
async function probe(port: number, round: number, terminated: () => boolean, isOver: () => boolean): Promise<number> {
	const question = writeRequest({ method: "GET", path: "/readyz", headers: {} });
	let turned = false;
	let listenedUntil = performance.now();
	for (; !isOver(); await Bun.sleep(PROBE_EVERY_MS)) {
		const connection = await openConnection(port).catch(() => undefined);
		const outcome = await connection?.send(question);
		connection?.close();
		const status = outcome?.kind === "answered" ? outcome.answer.status : undefined;
		if (status === 503 && terminated()) turned = true;
		else if (status === 200 && turned) violate("rounds without a 503 first", `round ${round}: ready again after a 503`);
		else if (status !== 200 && !turned) {
			violate("rounds without a 503 first", `round ${round}: ${status ?? "refused"} while readiness was still 200`);
			break;
		}
		if (status === undefined) break;
		listenedUntil = performance.now();
	}
	return listenedUntil;
}

async function judgeRound(round: number, { sent, listenedUntil }: Round, log: string, sql: Sql): Promise<void> {
	const rows = await sql<{ encf: string; docId: string }[]>`select encf, doc_id as "docId" from documents`;
	const stored = new Map(rows.map((row) => [row.encf, row.docId]));
	for (const { requestId, encf, outcome, sentAt, afterTerm } of sent) {
		counts.requests++;
		const name = `round ${round}, request ${requestId}${encf ? ` with ${encf}` : ""}`;
		if (outcome.kind === "ended") {
			const proof = findProof(outcome, log.includes(requestId), encf !== undefined && stored.has(encf), afterTerm);
			if (proof) violate("requests cut", `${name}: ${proof}; ${outcome.error} after ${Math.round(outcome.ms)} ms`);
			else if (outcome.error === NOT_SENT) counts["too late, connection closed before"]++;
			else if (sentAt > listenedUntil) counts["too late, sent after the listener had closed"]++;
			else counts["too late, sent before"]++;
			continue;
		}
		counts["requests answered"]++;
		if (afterTerm) counts["answered after SIGTERM"]++;
		const { status, body } = outcome.answer;
		if (status < 200 || status > 299) violate("answers that are no 2xx", `${name}: ${status} ${body}`);
		if (encf === undefined || status !== 202) continue;
		counts["invoices acknowledged"]++;
		if (stored.get(encf) !== (JSON.parse(body) as { docId: string }).docId)
			violate("acknowledged and not stored", `${name}: ${body}`);
	}
	const held = await sql`select lane, node, thread, lease_until from lanes`;
	for (const lane of held) violate("shards left held", `round ${round}: ${JSON.stringify(lane)}`);
}

/** Why an unanswered request counts as cut; undefined if it came too late. */
function findProof(
	outcome: Extract<RawOutcome, { kind: "ended" }>,
	isLogged: boolean,
	isStored: boolean,
	afterTerm: boolean,
): string | undefined {
	if (!afterTerm) return "the service had not been asked to stop";
	if (outcome.bytes > 0) return `${outcome.bytes} bytes of an answer came`;
	if (isLogged) return "the log names it";
	if (isStored) return "its invoice is stored";
	return outcome.ms > READ_WITHIN_MS ? "there was time to read it" : undefined;
}

const exitCode = await main();
if (exitCode === 0) rmSync(folder, { recursive: true, force: true });
process.exit(exitCode);
