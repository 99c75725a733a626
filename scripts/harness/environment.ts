/**
 * An environment for one scenario: everything that a service needs, with a proxy in front of each dependency.
 *
 *   client ──▶ service ──▶ proxy ──▶ simulator of the authority (own process, own file)
 *                 │ └────▶ proxy ──▶ PostgreSQL (own cluster)
 *                 └──webhooks──▶ receiver
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Ledger, openLedger } from "../../test/support/ledger";
import { openWebhookLedger, type ReceivedWebhook, startReceiver } from "../../test/support/ledger-receiver";
import { findFreePort, type Program, runAdmin, startService, startSimulator } from "../../test/support/processes";
import { type ProxyOptions, startTcpProxy, type TcpProxy } from "../../test/support/tcp-proxy";
import { type HarnessTenant, registerTenant } from "../../test/support/tenants";
import type { Acknowledged } from "./client";
import { collectFacts, waitUntilFinal } from "./facts";
import { type Facts, judge } from "./oracle";
import { type RestartablePostgres, startPostgres } from "./postgres";

export type Counts = Record<string, number>;

export type Scenario = {
	readonly name: string;
	/** What it demonstrates, in one sentence. */
	readonly shows: string;
	/** Runs in its own environment, adds to its violations and returns counts. */
	readonly run: (size: Size) => Promise<Outcome>;
};

/** A fraction of the full size, or the small one that only proves that the scenario works. */
export type Size = number | "smoke";

/** The number of something for a size. */
export function sized(size: Size, full: number, smoke: number): number {
	return size === "smoke" ? smoke : Math.ceil(full * size);
}

export type Outcome = { readonly counts: Counts; readonly violations: readonly string[]; readonly folder: string };

export type Environment = {
	readonly folder: string;
	readonly violations: string[];
	readonly postgres: RestartablePostgres;
	readonly databaseProxy: TcpProxy;
	readonly authorityProxy: TcpProxy;
	/** The simulator itself, for orders and receptions. */
	readonly simulatorUrl: string;
	/** The service's address, the same after a restart. */
	readonly url: string;
	readonly tenants: readonly HarnessTenant[];
	readonly acknowledged: Ledger<Acknowledged>;
	readonly webhooks: Ledger<ReceivedWebhook>;
	/** Starts another service in this environment, which stops with it. */
	readonly start: (name: string, extra?: Readonly<Record<string, string>>) => Program;
	/** The first service. */
	readonly service: Program;
	/** Configures a fault of the simulator. */
	readonly orderFault: (fault: Readonly<Record<string, unknown>>) => Promise<void>;
	/** Configured faults that have not occurred yet. */
	readonly countFaults: () => Promise<number>;
	/** Waits until nothing is pending, then checks ledgers and rows, transformed by `see`; returns the oracle's counts. */
	readonly judge: (finalWithinMs: number, see?: (facts: Facts) => Facts) => Promise<Counts>;
};

type Settings = Readonly<Record<string, string>>;

export type EnvironmentOptions = {
	readonly tenants?: number;
	/** Settings of the service; some need a file in the environment's folder. */
	readonly settings?: Settings | ((folder: string) => Settings);
	/** Time from a document's reception to its verdict. */
	readonly verdictDelayMs?: number;
	readonly onDatabaseChunk?: ProxyOptions["onChunk"];
	readonly onAuthorityChunk?: ProxyOptions["onChunk"];
};

/** Opens an environment, runs the scenario and cleans up; files are kept after a violation. */
export async function inEnvironment(
	name: string,
	options: EnvironmentOptions,
	act: (environment: Environment) => Promise<Counts>,
): Promise<Outcome> {
	const folder = mkdtempSync(join(tmpdir(), `sello-${name}-`));
	const violations: string[] = [];
	const cleanups: (() => unknown)[] = [];
	let isSound = false;
	try {
		const counts = await act(await openEnvironment(folder, violations, options, cleanups));
		isSound = violations.length === 0;
		return { counts, violations, folder };
	} finally {
		for (const close of cleanups.reverse()) await close();
		if (isSound) rmSync(folder, { recursive: true, force: true });
		else console.log(`logs and ledgers: ${folder}`);
	}
}

async function openEnvironment(
	folder: string,
	violations: string[],
	options: EnvironmentOptions,
	cleanups: (() => unknown)[],
): Promise<Environment> {
	const postgres = await startPostgres(folder);
	cleanups.push(() => postgres.stop());
	const databaseProxy = await startTcpProxy(proxyOptions(postgres.port(), options.onDatabaseChunk));
	cleanups.push(databaseProxy.stop);
	const simulator = startSimulator(folder, options.verdictDelayMs ?? 200);
	cleanups.push(() => end(simulator));
	const simulatorUrl = await simulator.ready;
	const authorityProxy = await startTcpProxy(
		proxyOptions(Number(new URL(simulatorUrl).port), options.onAuthorityChunk),
	);
	cleanups.push(authorityProxy.stop);

	const tenants: HarnessTenant[] = [];
	const webhooks = openWebhookLedger(join(folder, "webhooks.jsonl"));
	const acknowledged = openLedger<Acknowledged>(join(folder, "acknowledged.jsonl"));
	cleanups.push(webhooks.close, acknowledged.close);
	const receiver = await startReceiver(webhooks, (path) => tenants.find((t) => t.webhookPath === path)?.webhookSecret);
	cleanups.push(receiver.stop);

	const proxied = new URL(postgres.url());
	proxied.port = String(databaseProxy.port);
	const port = await findFreePort();
	const settings = {
		PORT: String(port),
		// Of all programs, so that tokens of one are valid at all.
		BASE_URL: `http://127.0.0.1:${port}`,
		DATA_DIR: join(folder, "data"),
		DATABASE_URL: proxied.href,
		AUTHORITY_URL: `http://127.0.0.1:${authorityProxy.port}`,
		WEBHOOK_ALLOW: receiver.host,
		WEBHOOK_TIME_SCALE: "0.02",
		SHARD_LEASE_SECONDS: "2",
		LOG_LEVEL: "warn",
		...(typeof options.settings === "function" ? options.settings(folder) : options.settings),
	};
	const start = (name: string, extra: Readonly<Record<string, string>> = {}) => {
		const program = startService({ ...settings, ...extra }, join(folder, `${name}.log`));
		cleanups.push(() => end(program));
		return program;
	};
	const service = start("service");
	const url = await service.ready;
	const created = await runAdmin(["keys", "create", "--plan", "unlimited", "--label", "harness"], settings);
	const { key } = created as { key: string };
	for (let n = 1; n <= (options.tenants ?? 4); n++) tenants.push(await registerTenant(url, key, n, receiver.host));

	return {
		...{
			folder,
			violations,
			postgres,
			databaseProxy,
			authorityProxy,
			simulatorUrl,
			url,
			tenants,
			acknowledged,
			webhooks,
		},
		...{ start, service },
		async orderFault(fault) {
			const answer = await fetch(`${simulatorUrl}/_simulator/faults`, { method: "POST", body: JSON.stringify(fault) });
			if (answer.status !== 201) throw new Error(`the fault was not set: ${await answer.text()}`);
		},
		async countFaults() {
			const faults = (await (await fetch(`${simulatorUrl}/_simulator/faults`)).json()) as unknown[];
			return faults.length;
		},
		async judge(finalWithinMs, see = (facts) => facts) {
			const seconds = await waitUntilFinal(postgres.url(), finalWithinMs, violations);
			const archiveFolder = join(settings.DATA_DIR, "archive");
			const databaseUrl = postgres.url();
			const facts = await collectFacts({
				...{ databaseUrl, archiveFolder, serviceUrl: url, simulatorUrl, tenants, acknowledged, webhooks },
			});
			const judged = judge(see(facts));
			violations.push(...judged.violations);
			return { ...judged.counts, "seconds until all was final": seconds };
		},
	};
}

function proxyOptions(port: number, onChunk: ProxyOptions["onChunk"]): ProxyOptions {
	return onChunk ? { port, onChunk } : { port };
}

const END_TIMEOUT_MS = 15_000;

/** Stops a program, even a paused one, and kills it after a while. */
async function end(program: Program): Promise<void> {
	program.kill("SIGCONT");
	program.kill("SIGTERM");
	const timer = setTimeout(() => program.kill("SIGKILL"), END_TIMEOUT_MS);
	await program.ended;
	clearTimeout(timer);
}
