/**
 * Several nodes share the work of one database. First they stop and others join, in order; then they are killed, paused and cut off from the
 * database, one fault after another. Counts what is lost or done twice.
 *
 *     bun scripts/owner-rounds.ts              the changes, then 36 faults in 90 seconds
 *     bun scripts/owner-rounds.ts --smoke      a smaller change, then 3 faults
 *     options: --rounds N, the number of faults; --nodes N, default 3
 *
 * In the changes, nodes stop until one has all 64 shards, and others join. Shards must end evenly shared each time, and every POST must
 * be accepted at once: callers use a node only while its readiness says so.
 *
 * A round of faults begins every two and a half seconds, and rounds overlap; one node at least has no fault:
 *
 *   kill    SIGKILL, and a new start at once                             its work goes to the other owners, or back to it
 *   pause   SIGSTOP for 1 to 8 s, so that its lease may run out          it wakes up with work that others own
 *   cut     nothing passes to or from the database for 1 to 8 s          what it sent arrives when others own the work
 *   reset   every connection to the database is reset, for 1 to 8 s
 *
 * At last a node is paused in the middle of a transaction, and wakes up when others own its shards, after at most 16 s.
 *
 * Required: no document is lost, none is received twice by the authority, every replay is the first answer, every company's feed of events
 * is without gaps and has one verdict a document, and `archive verify` finds every object, chain and tree whole. Webhooks may be repeated;
 * they are counted.
 *
 * One gap cannot be closed: a process may be stopped between the look at its lease, just before it writes a request, and the write. The bytes
 * then leave when it wakes up, after another owner has asked in vain and sent the document again. One such document in a run is counted, not
 * a violation; it is recognised by its arrival within half a second of a wake-up.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Sql } from "../src/platform/database";
import { runAdmin } from "../test/support/processes";
import type { HarnessTenant } from "../test/support/tenants";
import { type Client, startClient } from "./harness/client";
import { type Environment, inEnvironment } from "./harness/environment";
import { withDatabase } from "./harness/facts";
import { type Node, type Nodes, openNodes } from "./harness/nodes";
import type { Reception } from "./harness/oracle";
import { printReport } from "./harness/report";

const { values: options } = parseArgs({
	options: { smoke: { type: "boolean", default: false }, rounds: { type: "string" }, nodes: { type: "string" } },
});
const rounds = Number(options.rounds ?? (options.smoke ? 3 : 36));
const nodeCount = Number(options.nodes ?? (options.smoke ? 2 : 3));

const TENANTS = options.smoke ? 6 : 16;
const PER_SECOND = options.smoke ? 20 : 40;
const UNDECIDED_MAX = 400;
const TILLS = 60;
/** Shorter than most faults. */
const LEASE_SECONDS = options.smoke ? 1 : 3;
const ROUND_EVERY_MS = options.smoke ? 1_500 : 2_500;
const [FAULT_MIN_MS, FAULT_MAX_MS] = options.smoke ? [1_000, 2_500] : [1_000, 8_000];
const FINAL_WITHIN_MS = 60_000;
const SHARED_WITHIN_MS = 60_000;
const SHARDS = 64;
/** Numbers of the second and the third phase. */
const [FAULTS_FROM, PAUSE_FROM] = [1_000_000, 2_000_000];
/** The rest of the lease, a look of another owner, and the time a session may be idle in a transaction. */
const MOVED_WITHIN_MS = LEASE_SECONDS * 1_000 + 13_000;
const LOOK_FOR_TRANSACTION_MS = 60_000;

/** Requests that were checked before a pause and written after it. */
const ACROSS_PAUSES_MAX = 1;
const WAKING_MS = 500;

const FAULTS = ["kill", "pause", "cut", "reset"] as const;
type Fault = (typeof FAULTS)[number];

type Drill = Environment & { readonly nodes: Nodes };

/** When a paused node went on. Units: epoch milliseconds. */
const wakings: number[] = [];

function wake(node: Node): void {
	wakings.push(Date.now());
	node.program().kill("SIGCONT");
}

/** Of two receptions of a document, leaves out one that came when a node went on. */
function withoutAcrossPauses(receptions: readonly Reception[]): readonly Reception[] {
	const byNumber = Map.groupBy(receptions, ({ rnc, encf }) => `${rnc} ${encf}`);
	const isWaking = ({ receivedAt = 0 }: Reception) =>
		wakings.some((at) => receivedAt >= at && receivedAt < at + WAKING_MS);
	return [...byNumber.values()].flatMap((own) => {
		const late = own.length > 1 ? own.find(isWaking) : undefined;
		return own.filter((one) => one !== late);
	});
}

const startedAt = performance.now();
const { counts, violations, folder } = await inEnvironment(
	"owner-rounds",
	{ tenants: TENANTS, settings: { SHARD_LEASE_SECONDS: String(LEASE_SECONDS) } },
	async (environment) => {
		const nodes = openNodes(environment);
		try {
			while (nodes.all().length < nodeCount) await nodes.add();
			await nodes.untilReady();
			const drill = { ...environment, nodes };
			const changes = await changeNodes(drill);
			const faults = await inflictFaults(drill);
			const pause = options.smoke ? {} : await pauseInTransaction(drill);
			let acrossPauses = 0;
			const judged = await environment.judge(FINAL_WITHIN_MS, (facts) => {
				const receptions = withoutAcrossPauses(facts.receptions);
				acrossPauses = facts.receptions.length - receptions.length;
				return acrossPauses > ACROSS_PAUSES_MAX ? facts : { ...facts, receptions };
			});
			const events = await checkFeeds(drill);
			const chains = await verifyArchive(drill);
			return {
				...changes,
				...faults,
				...pause,
				"written across a pause": acrossPauses,
				...judged,
				...events,
				...chains,
				...countRepeats(environment),
			};
		} finally {
			await nodes.stop();
		}
	},
);
process.exit(
	printReport({
		...{ name: "owner-rounds", violations, folder },
		counts: { ...counts, "seconds in all": Math.round((performance.now() - startedAt) / 1000) },
	}),
);

/** Callers that never give up, until `isOver`. */
function startCallers({ nodes, ...environment }: Drill, firstNumber: number, isOver: () => boolean): Client {
	return startClient({
		// Read anew for each request.
		get url() {
			return nodes.pick();
		},
		...{ tenants: environment.tenants, ledger: environment.acknowledged, firstNumber },
		...{ perSecond: PER_SECOND, atOnceMax: TILLS },
		holdsBack: () => environment.acknowledged.count() - environment.webhooks.count() > UNDECIDED_MAX,
		wantsMore: () => !isOver(),
	});
}

async function inflictFaults(drill: Drill): Promise<Record<string, number>> {
	const { nodes } = drill;
	const done: Record<Fault, number> = { kill: 0, pause: 0, cut: 0, reset: 0 };
	let isOver = false;
	const client = startCallers(drill, FAULTS_FROM, () => isOver);
	const suffering = new Map<Node, Promise<void>>();
	for (let round = 0; round < rounds && !client.hasFailed(); round++) {
		const beganAt = performance.now();
		while (suffering.size >= nodes.all().length - 1) await Promise.race(suffering.values());
		const healthy = nodes.all().filter((node) => !suffering.has(node));
		const node = healthy[Math.floor(Math.random() * healthy.length)];
		const fault = FAULTS[round % FAULTS.length];
		if (!node || !fault) throw new Error("a round has a node and a fault");
		done[fault]++;
		suffering.set(
			node,
			inflict(node, fault).finally(() => suffering.delete(node)),
		);
		await Bun.sleep(Math.max(0, ROUND_EVERY_MS - (performance.now() - beganAt)));
	}
	await Promise.all(suffering.values());
	await nodes.untilReady();
	isOver = true;
	await client.finished;
	const named = Object.entries(done).map(([fault, times]) => [`faults: ${fault}`, times]);
	return { ...Object.fromEntries(named), "slowest answer ms": client.slowestMs() };
}

/** Pauses a node with a transaction open until others own its shards. */
async function pauseInTransaction(drill: Drill): Promise<Record<string, number>> {
	const { nodes, violations } = drill;
	let isOver = false;
	const client = startCallers(drill, PAUSE_FROM, () => isOver);
	const node = nodes.all().at(-1);
	if (!node) throw new Error("there are nodes");
	const { pid } = node.program();
	const isPaused = await withDatabase(drill.postgres.url(), (sql) => stopInTransaction(sql, node));
	const from = performance.now();
	let movedMs = Number.NaN;
	while (isPaused && Number.isNaN(movedMs)) {
		const isMoved = (await listShards(drill)).every((one) => one.isLive && !one.node?.includes(`/${pid}/`));
		if (isMoved) movedMs = Math.round(performance.now() - from);
		else if (performance.now() - from > SHARED_WITHIN_MS) break;
	}
	if (!(movedMs <= MOVED_WITHIN_MS))
		violations.push(`shards of a node that was paused in a transaction moved after ${movedMs} ms`);
	wake(node);
	await nodes.untilReady();
	isOver = true;
	await client.finished;
	return { "shards moved from a paused transaction, ms": movedMs };
}

/** Stops a node at a moment at which it has written and not committed. False if there was none. */
async function stopInTransaction(sql: Sql, node: Node): Promise<boolean> {
	for (const deadline = performance.now() + LOOK_FOR_TRANSACTION_MS; performance.now() < deadline; ) {
		await Bun.sleep(Math.random() * 50);
		node.program().kill("SIGSTOP");
		// Transactions of the other nodes end meanwhile.
		await Bun.sleep(200);
		const open = await sql`
			select 1 from pg_stat_activity
			where backend_xid is not null and state_change < now() - interval '150 ms'
				and (state = 'idle in transaction' or wait_event = 'ClientRead')`;
		if (open.length > 0) return true;
		node.program().kill("SIGCONT");
	}
	return false;
}

async function inflict(node: Node, fault: Fault): Promise<void> {
	const ms = FAULT_MIN_MS + Math.random() * (FAULT_MAX_MS - FAULT_MIN_MS);
	switch (fault) {
		case "kill":
			node.program().kill("SIGKILL");
			await node.program().ended;
			return node.start();
		case "pause":
			node.program().kill("SIGSTOP");
			await Bun.sleep(ms);
			return wake(node);
		case "cut": {
			const heals = (["upstream", "downstream"] as const).map((direction) =>
				node.proxy.add(direction, { type: "timeout", timeoutMs: 0 }),
			);
			await Bun.sleep(ms);
			for (const heal of heals) heal();
			return;
		}
		case "reset":
			node.proxy.setEnabled(false);
			await Bun.sleep(ms);
			return node.proxy.setEnabled(true);
	}
}

/** Stops nodes until one is left, then adds two: 64, 32 and 32, 22, 21 and 21 shards. */
async function changeNodes(drill: Drill): Promise<Record<string, number>> {
	const { nodes, violations } = drill;
	const waits: number[] = [await untilShared(drill)];
	let isOver = false;
	const client = startCallers(drill, 1, () => isOver);
	while (nodes.all().length > 1) {
		const last = nodes.all().at(-1);
		const ending = last && (await nodes.remove(last));
		if (ending !== 0) violations.push(`${last?.name} ended with ${ending}`);
		waits.push(await untilShared(drill));
	}
	for (let added = 0; added < (options.smoke ? 1 : 2); added++) {
		await nodes.add();
		waits.push(await untilShared(drill));
	}
	isOver = true;
	await client.finished;
	const failed = Object.entries(client.answers()).filter(([status]) => status !== "202");
	for (const [status, times] of failed)
		violations.push(`${times} POSTs were answered with ${status} while nodes changed`);
	return {
		"POSTs while nodes changed": client.requests(),
		"POSTs failed": failed.reduce((sum, [, times]) => sum + times, 0),
		"slowest sharing of shards, ms": Math.max(...waits),
	};
}

type ListedShard = { readonly shard: number; readonly node?: string; readonly isLive?: boolean };

async function listShards(environment: Environment): Promise<readonly ListedShard[]> {
	return (await runAdmin(["shards", "list"], adminSettings(environment))) as readonly ListedShard[];
}

/** Waits until every node has its share of the shards. Returns the milliseconds. */
async function untilShared({ nodes, ...environment }: Drill): Promise<number> {
	const from = performance.now();
	const size = nodes.all().length;
	const expected = Array.from({ length: size }, (_, n) => Math.floor(SHARDS / size) + (n < SHARDS % size ? 1 : 0));
	for (;;) {
		const owners = Map.groupBy(await listShards(environment), ({ node }) => node ?? "none");
		const shares = [...owners.values()].map((owned) => owned.length).sort((a, b) => b - a);
		const tookMs = Math.round(performance.now() - from);
		if (shares.join() === expected.join()) return tookMs;
		if (tookMs > SHARED_WITHIN_MS) {
			environment.violations.push(
				`shards are shared as ${shares.join("/")} after ${tookMs} ms, expected ${expected.join("/")}`,
			);
			return tookMs;
		}
	}
}

const FEED_TRIES_MAX = 30;

type FeedPage = {
	readonly events: readonly { readonly sequence: number; readonly event: string; readonly docId?: string }[];
	readonly partial: boolean;
	readonly next: string;
};

/** Reads every company's feed from its beginning. */
async function checkFeeds({ tenants, url, violations }: Environment): Promise<Record<string, number>> {
	let read = 0;
	let gaps = 0;
	for (const tenant of tenants) {
		const decided = new Set<string>();
		let last = 0;
		for (let after: string | undefined; ; ) {
			const page = await readFeed(url, tenant, after);
			for (const { sequence, event, docId = "" } of page.events) {
				read++;
				if (sequence !== last + 1) {
					gaps++;
					violations.push(`the feed of ${tenant.rnc} has ${sequence} after ${last}`);
				}
				last = sequence;
				if (!/^invoice\.(accepted|rejected)$/.test(event)) continue;
				if (decided.has(docId)) violations.push(`the feed of ${tenant.rnc} has two verdicts on ${docId}`);
				decided.add(docId);
			}
			if (!page.partial) break;
			after = page.next;
		}
	}
	return { "events read": read, "gaps in feeds": gaps };
}

async function readFeed(url: string, tenant: HarnessTenant, after: string | undefined): Promise<FeedPage> {
	const query = new URLSearchParams({ limit: "1000", ...(after === undefined ? {} : { after }) });
	const ask = async () => fetch(`${url}/v1/events?${query}`, { headers: await tenant.freshHeaders() });
	let answer = await ask();
	// A node that was paused finds the connections that it had ended.
	for (let tries = 1; answer.status === 503 && tries < FEED_TRIES_MAX; tries++) {
		await Bun.sleep(1_000);
		answer = await ask();
	}
	if (!answer.ok) throw new Error(`the feed of ${tenant.rnc} answered ${answer.status}: ${await answer.text()}`);
	return (await answer.json()) as FeedPage;
}

/** Checks every archived object, every company's chain and the tree. */
async function verifyArchive(environment: Environment): Promise<Record<string, number>> {
	const report = (await runAdmin(["archive", "verify"], adminSettings(environment))) as {
		readonly objects: number;
		readonly verified: number;
		readonly faults: readonly unknown[];
	};
	for (const fault of report.faults) environment.violations.push(`archive: ${JSON.stringify(fault)}`);
	return { "objects verified": report.verified };
}

function adminSettings({ folder, postgres }: Pick<Environment, "folder" | "postgres">) {
	return { DATA_DIR: join(folder, "data"), DATABASE_URL: postgres.url() };
}

function countRepeats({ folder, webhooks }: Environment): Record<string, number> {
	const taken = webhooks.read().filter(({ answered }) => answered < 300);
	const log = nodeLogs(folder);
	return {
		"webhooks repeated": taken.length - new Set(taken.map(({ deliveryId }) => deliveryId)).size,
		"lanes fenced": log.split('"event":"lane.fenced"').length - 1,
	};
}

function nodeLogs(folder: string): string {
	const names = [...new Bun.Glob("*.log").scanSync(folder)].filter((name) => /^(node-\d+|service)\.log$/.test(name));
	return names.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
}
