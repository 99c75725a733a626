/**
 * A fleet on loopback for one drill: nodes on one database, the authority's simulator, a receiver of webhooks, companies that issue, and
 * callers that look taxpayers up all the time.
 *
 *   issuers, callers ──▶ nodes, or a balancer in front ──▶ database of the drill
 *                          └──▶ simulator, receiver
 *
 * Nodes share one folder, so the archive and the key-encryption key are those of a deployment.
 */
import { join } from "node:path";
import { REPLACE } from "../../src/app/config/read-config";
import { type Ledger, openLedger } from "../../test/support/ledger";
import { openWebhookLedger, startReceiver } from "../../test/support/ledger-receiver";
import { findFreePort, type Program, runAdmin, startService, startSimulator } from "../../test/support/processes";
import { buildInvoice, type HarnessTenant, registerTenant } from "../../test/support/tenants";
import { type Acknowledged, type Client, startClient } from "../harness/client";
import type { Counts } from "../harness/environment";
import { collectFacts, waitUntilFinal } from "../harness/facts";
import { judge } from "../harness/oracle";

export type Settings = Readonly<Record<string, string>>;

export type Node = {
	readonly name: string;
	readonly url: string;
	readonly program: () => Program;
	/** Starts it at its address; resolves when it is ready. */
	readonly start: () => Promise<void>;
	/** Lets a new program take its address over; resolves when the former one has ended. */
	readonly replace: () => Promise<void>;
	readonly wasReplaced: (program: Program) => boolean;
};

export type Fleet = {
	readonly folder: string;
	readonly nodes: readonly Node[];
	/** Settings with which a further program is part of the fleet. */
	readonly settings: Settings;
	readonly apiKey: string;
	readonly tenants: readonly HarnessTenant[];
	readonly acknowledged: Ledger<Acknowledged>;
	/** Companies issue, every second one with numbers of the service, until `isOver`. */
	readonly issue: (perSecond: number, isOver: () => boolean) => Client;
	/** Callers with a known key look up at every node that runs, until the end. */
	readonly lookUp: () => LookUps;
	/** Waits until nothing is pending, then compares what outside parties recorded with what is stored. Counts that are `allowed` violate nothing. */
	readonly judge: (finalWithinMs?: number, allowed?: readonly string[]) => Promise<Counts>;
	/** Numbers that two acknowledged documents have; each is a violation. */
	readonly countTwice: () => number;
	readonly stop: () => Promise<void>;
};

export type LookUps = { readonly count: () => number; readonly end: () => Promise<Counts> };

export type FleetOptions = {
	readonly databaseUrl: string;
	/** Of the tables' owner, past any pooler. */
	readonly ownerUrl: string;
	readonly nodes: number;
	readonly tenants?: number;
	readonly settings?: Settings;
	/** Starts a balancer in front of the nodes' addresses and returns its own. */
	readonly balance?: (addresses: readonly string[]) => Promise<string>;
	readonly violations: string[];
};

const FINAL_WITHIN_MS = 60_000;
const LOOK_UP_EVERY_MS = 50;
const LOOK_UP_TIMEOUT_MS = 5_000;
const SLOW_MS = 1_000;
const ENDED_KNOWN_MS = 100;
const TILLS = 60;
const RANGE = 1_000_000;
/** A company of the sample registry. */
const DOCUMENT = "131880681";
const TYPES = ["31", "32"] as const;
const isNumbered = (n: number) => n % 2 === 0;

export async function openFleet(folder: string, options: FleetOptions): Promise<Fleet> {
	const { databaseUrl, ownerUrl, violations } = options;
	const simulator = startSimulator(folder, 200);
	const tenants: HarnessTenant[] = [];
	const webhooks = openWebhookLedger(join(folder, "webhooks.jsonl"));
	const acknowledged = openLedger<Acknowledged>(join(folder, "acknowledged.jsonl"));
	const receiver = await startReceiver(webhooks, (path) => tenants.find((t) => t.webhookPath === path)?.webhookSecret);
	const simulatorUrl = await simulator.ready;
	const ports: number[] = [];
	while (ports.length < options.nodes) ports.push(await findFreePort());
	const addresses = ports.map((port) => `http://127.0.0.1:${port}`);
	const balancer = await options.balance?.(addresses);
	const [first = ""] = addresses;
	const url = balancer ?? first;
	const settings = {
		...{ DATA_DIR: join(folder, "data"), DATABASE_URL: databaseUrl, BASE_URL: url, AUTHORITY_URL: simulatorUrl },
		DATABASE_MIGRATION_URL: ownerUrl,
		...{ WEBHOOK_ALLOW: receiver.host, WEBHOOK_TIME_SCALE: "0.02", SHARD_LEASE_SECONDS: "2", LOG_LEVEL: "warn" },
		...options.settings,
	};
	const nodes = ports.map((port, i) => createNode(folder, `node-${i + 1}`, port, settings));
	let isStopped = false;
	const stop = async () => {
		if (isStopped) return;
		isStopped = true;
		for (const node of nodes) node.program()?.kill("SIGTERM");
		simulator.kill("SIGTERM");
		await Promise.all([simulator.ended, ...nodes.map((node) => node.program()?.ended)]);
		receiver.stop();
		webhooks.close();
		acknowledged.close();
	};
	try {
		for (const node of nodes) await node.start();
		const admin = { DATA_DIR: settings.DATA_DIR, DATABASE_URL: ownerUrl };
		const { key: apiKey } = (await runAdmin(["keys", "create", "--plan", "unlimited", "--label", "drill"], admin)) as {
			key: string;
		};
		for (let n = 0; n < (options.tenants ?? 4); n++) {
			const over = isNumbered(n) ? { settings: { sequenceMode: "service" } } : {};
			const tenant = await registerTenant(first, apiKey, n + 1, receiver.host, over);
			tenants.push(tenant);
			if (isNumbered(n)) for (const type of TYPES) await registerRange(first, tenant, type);
		}
		let turn = 0;
		return {
			...{ folder, nodes: nodes as readonly Node[], settings, apiKey, tenants, acknowledged, stop },
			issue: (perSecond, isOver) =>
				startClient({
					// Read for each request: without a balancer the callers take the nodes in turn, and another one after a failure.
					get url() {
						return balancer ?? addresses[turn++ % addresses.length] ?? first;
					},
					build: (tenant, n) => {
						const invoice = buildInvoice(tenant, n);
						return isNumbered(tenants.indexOf(tenant)) ? { ...invoice, encf: "auto" } : invoice;
					},
					...{ tenants, ledger: acknowledged, perSecond, atOnceMax: TILLS },
					firstNumber: acknowledged.count() + 1,
					holdsBack: () => false,
					wantsMore: () => !isOver(),
				}),
			countTwice: () => countTwice(acknowledged.read(), violations),
			lookUp: () => startLookUps(nodes, apiKey, violations),
			async judge(finalWithinMs = FINAL_WITHIN_MS, allowed = []) {
				const seconds = await waitUntilFinal(ownerUrl, finalWithinMs, violations, finalWithinMs);
				const archiveFolder = join(settings.DATA_DIR, "archive");
				const facts = await collectFacts({
					...{ databaseUrl: ownerUrl, archiveFolder, serviceUrl: url, simulatorUrl, tenants, acknowledged, webhooks },
				});
				const judged = judge(facts);
				violations.push(...judged.violations.filter((one) => !allowed.some((count) => one.startsWith(`${count}:`))));
				return {
					...judged.counts,
					"numbers given twice": countTwice(facts.acknowledged, violations),
					"seconds until all was final": seconds,
				};
			},
		};
	} catch (error) {
		await stop();
		throw error;
	}
}

function createNode(folder: string, name: string, port: number, settings: Settings) {
	let program: Program | undefined;
	const replaced = new WeakSet<Program>();
	const run = (args: readonly string[] = []) =>
		startService({ ...settings, PORT: String(port) }, join(folder, `${name}.log`), args);
	return {
		...{ name, url: `http://127.0.0.1:${port}` },
		program: () => program as Program,
		async start() {
			program = run();
			await program.ready;
		},
		async replace() {
			const former = program;
			if (former) replaced.add(former);
			const next = run([REPLACE]);
			await next.ready;
			program = next;
			const ending = await former?.ended;
			if (ending !== 0) throw new Error(`${name} was replaced and ended with ${ending}`);
		},
		wasReplaced: (one: Program) => replaced.has(one),
	};
}

async function registerRange(url: string, tenant: HarnessTenant, type: string): Promise<void> {
	const numberOf = (n: number) => `E${type}${String(n).padStart(10, "0")}`;
	const answer = await fetch(`${url}/v1/sequences`, {
		method: "POST",
		headers: { ...tenant.headers, "content-type": "application/json" },
		body: JSON.stringify({
			...{ type, from: numberOf(1), to: numberOf(RANGE) },
			...(type === "32" ? {} : { expiresAt: "2030-12-31" }),
		}),
	});
	if (answer.status !== 201) throw new Error(`the range was answered ${answer.status}: ${await answer.text()}`);
}

function countTwice(acknowledged: readonly Acknowledged[], violations: string[]): number {
	const byNumber = Map.groupBy(acknowledged, ({ rnc, encf }) => `${encf} of ${rnc}`);
	const twice = [...byNumber].filter(([, all]) => new Set(all.map(({ docId }) => docId)).size > 1);
	for (const [number] of twice) violations.push(`${number} was given twice`);
	return twice.length;
}

/** A node that does not run, or that was killed during the request, cannot be asked. */
function startLookUps(nodes: readonly Node[], key: string, violations: string[]): LookUps {
	let isOver = false;
	let [answered, failed, slow, slowestMs] = [0, 0, 0, 0];
	async function ask(node: Node): Promise<void> {
		for (; !isOver; await Bun.sleep(LOOK_UP_EVERY_MS)) {
			const program = node.program();
			if (program.hasEnded() || !(await isServing(program))) continue;
			const from = performance.now();
			const outcome = await lookUpOnce(node.url, key);
			// A killed program is known to have ended a moment later.
			if (outcome !== 200) await Bun.sleep(ENDED_KNOWN_MS);
			if (program.hasEnded() && !node.wasReplaced(program)) continue;
			answered++;
			const tookMs = Math.round(performance.now() - from);
			if (tookMs > SLOW_MS) slow++;
			slowestMs = Math.max(slowestMs, tookMs);
			if (outcome === 200) continue;
			failed++;
			violations.push(`a look-up at ${node.name} was answered with ${outcome} at ${new Date().toISOString()}`);
		}
	}
	const asking = Promise.all(nodes.map(ask));
	return {
		count: () => answered,
		async end() {
			isOver = true;
			await asking;
			return {
				...{ "look-ups": answered, "failed look-ups": failed },
				...{ "look-ups above 1 s": slow, "slowest look-up ms": slowestMs },
			};
		},
	};
}

const isServing = (program: Program) =>
	Promise.race([program.ready.then(() => true).catch(() => false), Bun.sleep(0).then(() => false)]);

/** The status, or why there was no answer. */
export async function lookUpOnce(url: string, key: string): Promise<number | string> {
	try {
		const answer = await fetch(`${url}/v1/authority/document/${DOCUMENT}`, {
			headers: { "x-api-key": key },
			signal: AbortSignal.timeout(LOOK_UP_TIMEOUT_MS),
		});
		await answer.arrayBuffer();
		return answer.status;
	} catch (error) {
		return String(error);
	}
}
