/**
 * The environment of webhook scenarios: a service as a real process with its own database and folder, receivers in another process,
 * companies
 * with webhooks, and real invoices that the sandbox's authority decides.
 *
 *   scenario ──POST──▶ service ──▶ authority of the sandbox
 *     │                │
 *     │             webhooks (signed) ──▶ receivers, own process ──▶ ledger ──┐
 *     └──reads the tables and the delivery log, and ◀─────────────────────────┘
 */
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { connect, type Sql } from "../../../src/platform/database";
import { SCOPES } from "../../../src/platform/operation";
import { findFreePort, type Program, runAdmin, startService } from "../../../test/support/processes";
import { openRegistryKeys } from "../../../test/support/registry-keys";
import { buildInvoice, type HarnessTenant, registerTenant } from "../../../test/support/tenants";
import type { Scenario, ScenarioContext } from "../run-scenarios";
import { type Receiver, startReceiver } from "./receiver";

export type Environment = {
	readonly folder: string;
	readonly url: string;
	readonly sql: Sql;
	readonly receiver: Receiver;
	readonly service: () => Program;
	/** Restarts the service, optionally with other settings. */
	readonly start: (more?: Settings) => Program;
	/** Registers the next sample company with webhooks at paths of the receiver, which knows their secrets as `first`. */
	readonly register: (...wishes: readonly WebhookWish[]) => Promise<HarnessTenant>;
	/** Posts invoices of a company, numbered by the service; returns their ids. */
	readonly issue: (tenant: HarnessTenant, count: number) => Promise<string[]>;
	/** Runs an operator command. */
	readonly admin: (...args: string[]) => Promise<unknown>;
};

/** A webhook request with a receiver path, or a whole URL, as URL. */
export type WebhookWish = {
	readonly at: string;
	readonly events?: readonly string[];
	readonly rateLimitPerSecond?: number;
};

export type Settings = Readonly<Record<string, string>>;

export type EnvironmentOptions = {
	readonly settings?: Settings;
	/** Additional receivers that may be reached. */
	readonly allow?: readonly string[];
};

/** Scale of the retry schedule by default. */
export const TIME_SCALE = 0.02;
/** The maximum of one request. */
const BATCH_MAX = 500;
const END_TIMEOUT_MS = 15_000;

let environments = 0;

/** Shares an environment between scenarios; the first one opens it. */
export function shareEnvironment(settings: Settings = {}) {
	let environment: Promise<Environment> | undefined;
	return (act: (context: ScenarioContext, environment: Environment) => Promise<object>): Scenario =>
		async (context) => {
			environment ??= openEnvironment(context, { settings });
			return act(context, await environment);
		};
}

/** Opens an environment that is cleaned up after all scenarios. */
export async function openEnvironment(
	context: ScenarioContext,
	options: EnvironmentOptions = {},
): Promise<Environment> {
	const folder = join(context.folder, `environment-${environments++}`);
	mkdirSync(folder);
	const receiver = await startReceiver(folder);
	context.atEnd(receiver.stop);
	const databaseUrl = await context.createDatabase();
	const sql = connect({ url: databaseUrl, name: "scenario", connectionsMax: 4 });
	context.atEnd(() => sql.end({ timeout: 2 }));
	const settings = {
		PORT: String(await findFreePort()),
		DATA_DIR: folder,
		DATABASE_URL: databaseUrl,
		WEBHOOK_ALLOW: [receiver.host, ...(options.allow ?? [])].join(","),
		WEBHOOK_TIME_SCALE: String(TIME_SCALE),
		// One thread is enough here, and each takes time to start.
		SIGN_THREADS: "1",
		LOG_LEVEL: "warn",
		...options.settings,
	};
	let service: Program;
	const logPath = join(folder, "service.log");
	const start = (more: Settings = {}) => {
		const started = startService({ ...settings, ...more }, logPath);
		void started.ended.then((ending) => appendFileSync(logPath, `the service ended with ${ending}\n`));
		service = started;
		return started;
	};
	service = start();
	context.atEnd(() => end(service));
	const url = await service.ready;
	const keys = await openRegistryKeys({ sql, kekFile: join(folder, "kek"), url });
	context.atEnd(keys.close);
	const key = await keys.createKey(SCOPES);

	let companies = 0;
	let invoices = 0;
	return {
		...{ folder, url, sql, receiver, start },
		service: () => service,
		async register(...wishes) {
			const webhooks = wishes.map(({ at, ...rest }) => ({ ...rest, url: new URL(at, `http://${receiver.host}`).href }));
			const tenant = await registerTenant(url, key, ++companies, undefined, { webhooks });
			for (const { url, secret } of tenant.webhooks)
				await receiver.order({ path: new URL(url).pathname, secrets: [{ name: "first", secret }] });
			return tenant;
		},
		async issue(tenant, count) {
			const docIds: string[] = [];
			while (docIds.length < count) {
				const batch = Array.from({ length: Math.min(BATCH_MAX, count - docIds.length) }, () =>
					buildInvoice(tenant, ++invoices, { client_request_id: `scenario-${String(invoices).padStart(8, "0")}` }),
				);
				docIds.push(...(await postBatch(url, tenant, batch)));
			}
			return docIds;
		},
		admin: (...args) => runAdmin(args, settings),
	};
}

async function postBatch(url: string, tenant: HarnessTenant, invoices: readonly unknown[]): Promise<string[]> {
	const headers = { ...(await tenant.freshHeaders()), "idempotency-key": crypto.randomUUID() };
	const { status, body } = await send("POST", `${url}/v1/invoices:batch`, headers, { invoices });
	const { results = [] } = body as { results?: { status: number; docId?: string }[] };
	return results.map((one) => {
		if (status === 200 && one.status === 202 && one.docId !== undefined) return one.docId;
		throw new Error(`an invoice of a batch was answered with ${JSON.stringify(one)}`);
	});
}

/** One request with a JSON body; parses the answer if it is JSON. */
export async function send(
	method: string,
	url: string,
	headers: Readonly<Record<string, string>>,
	body?: unknown,
): Promise<{ status: number; body: unknown }> {
	const answer = await fetch(url, {
		method,
		headers: { "content-type": "application/json; charset=utf-8", ...headers },
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	const text = await answer.text();
	return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
}

async function end(program: Program): Promise<void> {
	program.kill("SIGTERM");
	const timer = setTimeout(() => program.kill("SIGKILL"), END_TIMEOUT_MS);
	await program.ended;
	clearTimeout(timer);
}
