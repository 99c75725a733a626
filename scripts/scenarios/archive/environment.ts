/**
 * The environment of archive scenarios: a service as a real process with its own database and folder, companies that issue, and operator
 * commands on the same files.
 */
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Archive, openArchive } from "../../../src/archive";
import { connect, type Sql } from "../../../src/platform/database";
import { SCOPES } from "../../../src/platform/operation";
import { standings } from "../../../test/support/documents";
import { findFreePort, type Program, ROOT, startService } from "../../../test/support/processes";
import { openRegistryKeys } from "../../../test/support/registry-keys";
import { buildInvoice, type HarnessTenant, registerTenant } from "../../../test/support/tenants";
import type { Scenario, ScenarioContext } from "../run-scenarios";

export type Settings = Readonly<Record<string, string>>;

export type Environment = {
	readonly folder: string;
	readonly archiveFolder: string;
	readonly url: string;
	/** As the owner of the tables. */
	readonly sql: Sql;
	readonly databaseUrl: string;
	/** Address with the service's own login, which owns nothing. */
	readonly serviceUrl: string;
	/** An operator key with every scope. */
	readonly apiKey: string;
	readonly archive: Archive;
	readonly service: () => Program;
	/** Restarts the service, optionally with other settings. */
	readonly start: (more?: Settings) => Program;
	readonly stop: () => Promise<void>;
	/** Starts the service if a previous scenario left it stopped, and waits until it is ready. */
	readonly wakeUp: () => Promise<void>;
	/** Registers the next sample company. */
	readonly register: () => Promise<HarnessTenant>;
	/** Posts invoices of a company, every third a small consumer invoice; returns their ids. */
	readonly issue: (tenant: HarnessTenant, count: number, headers?: Settings) => Promise<string[]>;
	readonly fetchEvidence: (tenant: HarnessTenant, docId: string) => Promise<Uint8Array>;
	/** Creates a checkpoint that covers a document, by requesting its evidence. */
	readonly checkpoint: (tenant: HarnessTenant, docId: string) => Promise<void>;
	/** Runs an operator command, whatever its exit code. */
	readonly admin: (args: readonly string[], over?: Settings) => Promise<AdminResult>;
	readonly readLog: () => string;
};

export type AdminResult = { readonly exitCode: number; readonly data: unknown; readonly complaint: string };

/** The maximum of one request. */
const BATCH_MAX = 500;
const END_TIMEOUT_MS = 15_000;
const LOOK_EVERY_MS = 25;
/** Long enough for busy machines. */
const PATIENCE_MS = 240_000;
let environments = 0;

/** Shares an environment between scenarios; the first one opens it. */
export function shareEnvironment(settings: Settings = {}) {
	let environment: Promise<Environment> | undefined;
	return (act: (context: ScenarioContext, environment: Environment) => Promise<object>): Scenario =>
		async (context) => {
			environment ??= openEnvironment(context, settings);
			return act(context, await environment);
		};
}

/** Opens an environment that is cleaned up after all scenarios. `prepare` gets the archive folder before its first use. */
export async function openEnvironment(
	context: ScenarioContext,
	settings: Settings = {},
	prepare: (archiveFolder: string) => void = () => undefined,
): Promise<Environment> {
	const folder = join(context.folder, `environment-${environments++}`);
	const archiveFolder = join(folder, "archive");
	mkdirSync(archiveFolder, { recursive: true });
	prepare(archiveFolder);
	const databaseUrl = await context.createDatabase();
	const sql = connect({ url: databaseUrl, name: "scenario", connectionsMax: 4 });
	context.atEnd(() => sql.end({ timeout: 2 }));
	const serviceUrl = await createLogin(sql, databaseUrl);
	const all = {
		PORT: String(await findFreePort()),
		DATA_DIR: folder,
		DATABASE_URL: serviceUrl,
		DATABASE_MIGRATION_URL: databaseUrl,
		ARCHIVE_URL: archiveFolder,
		// One thread is enough here, and each takes time to start.
		SIGN_THREADS: "1",
		LOG_LEVEL: "warn",
		...settings,
	};
	const logPath = join(folder, "service.log");
	let service: Program;
	const start = (more: Settings = {}) => {
		const started = startService({ ...all, ...more }, logPath);
		void started.ended.then((ending) => appendFileSync(logPath, `the service ended with ${ending}\n`));
		service = started;
		return started;
	};
	const stop = async () => {
		service.kill("SIGTERM");
		const timer = setTimeout(() => service.kill("SIGKILL"), END_TIMEOUT_MS);
		await service.ended;
		clearTimeout(timer);
	};
	service = start();
	context.atEnd(stop);
	const url = await service.ready;
	const keys = await openRegistryKeys({ sql, kekFile: join(folder, "kek"), url });
	context.atEnd(keys.close);
	const apiKey = await keys.createKey(SCOPES);

	let companies = 0;
	let invoices = 0;
	const fetchEvidence = async (tenant: HarnessTenant, docId: string) => {
		const answer = await fetch(`${url}/v1/invoices/${docId}/evidence`, { headers: await tenant.freshHeaders() });
		if (!answer.ok) throw new Error(`the evidence was answered with ${answer.status}: ${await answer.text()}`);
		return new Uint8Array(await answer.arrayBuffer());
	};
	return {
		...{ folder, archiveFolder, url, sql, databaseUrl, serviceUrl, apiKey, start, stop },
		archive: await openArchive(all.ARCHIVE_URL),
		service: () => service,
		wakeUp: async () => void (await (service.hasEnded() ? start() : service).ready),
		register: () => registerTenant(url, apiKey, ++companies),
		async issue(tenant, count, headers = {}) {
			const docIds: string[] = [];
			while (docIds.length < count) {
				const batch = Array.from({ length: Math.min(BATCH_MAX, count - docIds.length) }, () =>
					buildInvoice(tenant, ++invoices, { client_request_id: `scenario-${String(invoices).padStart(8, "0")}` }),
				);
				docIds.push(...(await postBatch(url, tenant, batch, headers)));
			}
			return docIds;
		},
		fetchEvidence,
		checkpoint: async (tenant, docId) => void (await fetchEvidence(tenant, docId)),
		admin: (args, over = {}) => runAdmin(args, { ...all, ...over }),
		readLog: () => readFileSync(logPath, "utf8"),
	};
}

/** Creates a service login with its granted rights; returns its address. */
async function createLogin(sql: Sql, databaseUrl: string): Promise<string> {
	const url = new URL(databaseUrl);
	url.username = `service_of_${url.pathname.slice(1)}`;
	url.password = crypto.randomUUID();
	await sql.unsafe(`create role ${url.username} login password '${url.password}'`);
	return url.href;
}

/** Waits until the given documents, or all of the database, are in the archive's index. */
export function untilArchived({ sql }: Pick<Environment, "sql">, docIds?: readonly string[]): Promise<void> {
	return until("all documents are archived", async () => {
		const [row] = await sql<{ left: number }[]>`
			select count(*)::int as left from documents i
			where not exists (select 1 from seals o where o.doc_id = i.doc_id)
				${docIds ? sql`and i.doc_id = any(${[...docIds]}::uuid[])` : sql``}`;
		return row?.left === 0;
	});
}

/** Waits until no document awaits its verdict and no message is in flight. */
export function untilQuiet({ sql }: Pick<Environment, "sql">): Promise<void> {
	return until("nothing is on its way", async () => {
		const [row] = await sql<{ left: number }[]>`
			select (select count(*)::int from ${standings(sql)} i where status = 'pending')
				+ (select count(*)::int from outbox where state = 'ready' and kind <> 'webhook.probe') as left`;
		return row?.left === 0;
	});
}

/** Waits for a condition. Throws an Error that names it on time-out. */
export async function until(what: string, condition: () => boolean | Promise<boolean>, patienceMs = PATIENCE_MS) {
	for (const deadline = performance.now() + patienceMs; !(await condition()); await Bun.sleep(LOOK_EVERY_MS))
		if (performance.now() > deadline) throw new Error(`waited ${patienceMs / 1000} s without success for: ${what}`);
}

async function postBatch(url: string, tenant: HarnessTenant, invoices: readonly unknown[], headers: Settings) {
	const answer = await fetch(`${url}/v1/invoices:batch`, {
		method: "POST",
		headers: {
			...(await tenant.freshHeaders()),
			"content-type": "application/json",
			"idempotency-key": crypto.randomUUID(),
			...headers,
		},
		body: JSON.stringify({ invoices }),
	});
	const text = await answer.text();
	const { results = [] } = (answer.status === 200 ? JSON.parse(text) : {}) as {
		results?: { status: number; docId?: string }[];
	};
	if (results.length !== invoices.length) throw new Error(`a batch was answered with ${answer.status}: ${text}`);
	return results.map((one) => {
		if (one.status === 202 && one.docId !== undefined) return one.docId;
		throw new Error(`an invoice of a batch was answered with ${JSON.stringify(one)}`);
	});
}

/** Runs a script with only these settings; returns its whole output. */
export async function runScript(args: readonly string[], settings: Settings = {}) {
	const child = Bun.spawn([process.execPath, ...args], {
		cwd: ROOT,
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
		env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...settings },
	});
	const [output, complaint] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	return { exitCode: await child.exited, output, complaint };
}

async function runAdmin(args: readonly string[], settings: Settings): Promise<AdminResult> {
	const { exitCode, output, complaint } = await runScript(["scripts/admin.ts", ...args, "--json"], settings);
	if (output.trim() === "") return { exitCode, data: undefined, complaint };
	return { exitCode, data: JSON.parse(output), complaint };
}
