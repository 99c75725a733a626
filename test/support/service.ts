/**
 * A complete service for tests, over real HTTP: real PostgreSQL, real threads, the simulator in its own thread without delay, a real
 * webhook receiver. One for the whole run, since it takes a second to start; every test registers its own tenants.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/app/config/read-config";
import { type Service, startService } from "../../src/app/service";
import { type Access, openAccess } from "../../src/identity/auth";
import type { Sql } from "../../src/platform/database";
import type { Plan, Scope } from "../../src/platform/operation";
import { createEnvelope } from "../../src/platform/secrets";
import { createLog } from "../../src/platform/telemetry";
import { type Environment, systemClock } from "../../src/platform/values";
import { type SandboxAuthority, startSandboxAuthority } from "../../src/sandbox/simulator";
import { atEnd } from "./at-end";
import { openTestDatabase, type TestDatabase } from "./database";
import { type Pooler, startPooler } from "./pooler";
import { startReceiver, type WebhookReceiver } from "./webhook-receiver";

export type TestService = {
	readonly url: string;
	readonly sql: Sql;
	/** Under the role that owns the tables. */
	readonly owner: Sql;
	readonly databaseUrl: string;
	readonly dataDir: string;
	readonly simulatorUrl: string;
	readonly releaseIssuer: SandboxAuthority["releaseIssuer"];
	readonly receiver: WebhookReceiver;
	/** A new key of a new owner; by default with the plan `unlimited` and the default scopes. */
	readonly createKey: (options?: { plan?: Plan; scopes?: readonly Scope[] }) => Promise<string>;
	/** An address that signs the person of a local sandbox in, once. */
	readonly makeConsoleLink: () => Promise<string>;
	/** Revokes a key of this service, as another process would. */
	readonly revokeKey: (key: string) => Promise<void>;
};

/** The token for reports of mail servers, the same in every service of tests. */
export const MAIL_HOOK_SECRET = "mail-hook-secret-of-tests-0123456789";

export type Tenant = {
	readonly tenantId: string;
	readonly rnc: string;
	readonly name: string;
	readonly apiKey: string;
	readonly token: string;
	readonly clientId: string;
	readonly clientSecret: string;
	readonly webhookSecret: string;
	/** Both credentials, as most operations need them. */
	readonly headers: Readonly<Record<string, string>>;
};

type Running = TestService & {
	readonly parts: {
		service: Service;
		simulator: SandboxAuthority;
		access: Access;
		database: TestDatabase;
		pooler: Pooler | undefined;
	};
};

let starting: Promise<Running> | undefined;

export function sharedService(): Promise<TestService> {
	if (!starting) {
		starting = start();
		atEnd(stopSharedService);
	}
	return starting;
}

async function stopSharedService(): Promise<void> {
	if (!starting) return;
	const running = await starting;
	starting = undefined;
	await stop(running);
}

/** A service with another environment or further settings, for one test file, which stops it. */
export async function openServiceIn(
	environment: Environment,
	further: Readonly<Record<string, string>> = {},
	openDatabase = openTestDatabase,
): Promise<TestService & { stop: () => Promise<void> }> {
	const running = await start(environment, further, false, openDatabase);
	return { ...running, stop: () => stop(running) };
}

/** The same in a sandbox behind a pooler with six connections to the server. Throws an Error without PgBouncer. */
export async function openPooledService(): Promise<TestService & { stop: () => Promise<void> }> {
	const running = await start("sandbox", {}, true);
	return { ...running, stop: () => stop(running) };
}

async function stop({ parts, receiver, dataDir }: Running): Promise<void> {
	await parts.access.close();
	await parts.service.stop();
	await parts.simulator.stop();
	await parts.pooler?.stop();
	await parts.database.close();
	receiver.stop();
	rmSync(dataDir, { recursive: true, force: true });
}

async function start(
	environment: Environment = "sandbox",
	further: Readonly<Record<string, string>> = {},
	// So that the tests of any file can be run behind a pooler.
	isPooled = process.env.TEST_POOLED === "1",
	openDatabase = openTestDatabase,
): Promise<Running> {
	const dataDir = mkdtempSync(join(tmpdir(), "sello-test-service-"));
	const [database, simulator, receiver] = await Promise.all([
		openDatabase(),
		startSandboxAuthority(dataDir, 0, true),
		startReceiver(),
	]);
	const pooler = isPooled ? await startPooler(database.url, 6) : undefined;
	const settings = {
		PORT: "0",
		ENVIRONMENT: environment,
		DATA_DIR: dataDir,
		DATABASE_URL: database.url,
		AUTHORITY_URL: simulator.url,
		WEBHOOK_ALLOW: receiver.host,
		WEBHOOK_TIME_SCALE: "0.005",
		INTERNAL_SLA_SECONDS: "1",
		SHARD_LEASE_SECONDS: "3",
		// Most tests do not need heartbeats; those that do shorten the interval.
		AUTHORITY_PROBE_SECONDS: "60",
		TRUSTED_PROXIES: "127.0.0.0/8",
		OPERATOR_NETWORKS: "127.0.0.0/8,198.19.0.0/16",
		MAIL_HOOK_SECRET,
		LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? "silent",
		...(pooler ? { DATABASE_URL: pooler.url, DATABASE_POOLED: "on", DATABASE_DIRECT_URL: database.url } : {}),
		...further,
	};
	const service = await startService(await readConfig(settings, 2));
	const access = await openAccess({
		sql: database.sql,
		envelope: createEnvelope(Buffer.from(readFileSync(join(dataDir, "kek"), "utf8").trim(), "base64")),
		environment,
		baseUrl: service.url,
		clock: systemClock,
		log: createLog("silent", "test"),
	});
	const idsByKey = new Map<string, string>();
	return {
		url: service.url,
		sql: database.sql,
		owner: database.owner,
		databaseUrl: database.url,
		dataDir,
		simulatorUrl: simulator.url,
		releaseIssuer: simulator.releaseIssuer,
		receiver,
		createKey: async (options = {}) => {
			const { plan = "unlimited", scopes } = options;
			const created = await access.createKey({
				plan,
				label: "test",
				environment,
				...(scopes ? { scopes } : {}),
			});
			idsByKey.set(created.key, created.id);
			return created.key;
		},
		makeConsoleLink: async () => {
			if (!service.makeConsoleLink) throw new Error("only a sandbox has a person of its own");
			return service.makeConsoleLink();
		},
		revokeKey: async (key) => {
			if (!(await access.revokeKey(idsByKey.get(key) ?? ""))) throw new Error("expected a key of this service");
		},
		parts: { service, simulator, access, database, pooler },
	};
}

/** A test's company depends on how many came before it. All names are ASCII so that results do not depend on it. */
const PLAIN_NAME = /^[ -~]+$/;

/** Generated companies of the sample registry. The example companies are reserved for tests that name them, so no tenant may be one. */
const FOR_EXAMPLES = /^(?:9900000\d\d|990010000|131880681|101010101)$/;
let nextRnc = 0;
const rncs: Promise<string[]> = listActiveCompanies();

async function listActiveCompanies(): Promise<string[]> {
	const { unzipSync } = await import("fflate");
	const zip = unzipSync(
		new Uint8Array(await Bun.file(join(import.meta.dir, "../../data/registry/sample.zip")).arrayBuffer()),
	);
	const text = new TextDecoder("latin1").decode(Object.values(zip)[0]);
	return text
		.split("\r\n")
		.map((line) => line.split("|").map((cell) => cell.trim()))
		.filter((cells) => cells.length === 11 && /^\d{9}$/.test(cells[0] ?? "") && cells[9] === "ACTIVO")
		.filter(([rnc = ""]) => !FOR_EXAMPLES.test(rnc))
		.filter((cells) => PLAIN_NAME.test(cells[1] ?? ""))
		.map((cells) => cells[0] ?? "");
}

/** Registers a company for a test and gets a token. */
export async function createTenant(
	service: TestService,
	options: {
		plan?: Plan;
		scopes?: readonly Scope[];
		apiKey?: string;
		webhook?: boolean;
		company?: Record<string, unknown>;
	} = {},
): Promise<Tenant> {
	const apiKey = options.apiKey ?? (await service.createKey(options));
	const rnc = (await rncs)[nextRnc++];
	if (!rnc) throw new Error("the sample registry has no company left for another tenant");
	const webhooks = options.webhook ? [{ url: `http://${service.receiver.host}/${rnc}` }] : [];
	const created = await post(service, "/v1/company", { "x-api-key": apiKey }, { rnc, webhooks, ...options.company });
	if (created.status !== 201) throw new Error(`company: ${created.status} ${await created.text()}`);
	const company = (await created.json()) as {
		tenantId: string;
		name: string;
		credentials: { clientId: string; clientSecret: string };
		webhooks: { secret: string }[];
	};
	const { clientId, clientSecret } = company.credentials;
	const token = await getToken(service, clientId, clientSecret);
	return {
		tenantId: company.tenantId,
		rnc,
		name: company.name,
		apiKey,
		token,
		clientId,
		clientSecret,
		webhookSecret: company.webhooks[0]?.secret ?? "",
		headers: { "x-api-key": apiKey, authorization: `Bearer ${token}` },
	};
}

export async function getToken(service: TestService, clientId: string, clientSecret: string): Promise<string> {
	const body = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
	const answer = await post(service, "/v1/auth/token", {}, body);
	if (answer.status !== 200) throw new Error(`token: ${answer.status} ${await answer.text()}`);
	return ((await answer.json()) as { access_token: string }).access_token;
}

export function post(
	service: TestService,
	path: string,
	headers: Record<string, string>,
	body: unknown,
): Promise<Response> {
	return fetch(`${service.url}${path}`, {
		method: "POST",
		headers: {
			"content-type": "application/json; charset=utf-8",
			// Failures at the token endpoint are limited by address, so that each of these requests has its own.
			...(path.startsWith("/v1/auth/") ? { "x-forwarded-for": nextAddress() } : {}),
			...headers,
		},
		body: typeof body === "string" ? body : JSON.stringify(body),
	});
}

let addresses = 0;
const nextAddress = () => `198.18.${(addresses >> 8) & 0xff}.${addresses++ & 0xff}`;

export function get(service: TestService, path: string, headers: Record<string, string> = {}): Promise<Response> {
	return fetch(`${service.url}${path}`, { headers });
}

let nextNumber = 1;

/** A valid invoice of a tenant with a new number; `over` replaces members. */
export function buildInvoice(tenant: Tenant, over: Record<string, unknown> = {}): Record<string, unknown> {
	const type = typeof over.type === "string" ? over.type : "31";
	return {
		type,
		encf: `E${type}${String(nextNumber++).padStart(10, "0")}`,
		company: { rnc: tenant.rnc, name: tenant.name },
		customer: { rnc: "131880681", name: "FERRETERIA EL PROGRESO SRL" },
		lines: [
			{ line_number: 1, description: "Cemento gris 42.5kg", quantity: "10", unit_price: "450.00", subtotal: "4500.00" },
		],
		totals: { subtotal: "4500.00", tax: "810.00", grand_total: "5310.00" },
		...over,
	};
}

/** Posts an invoice under a new idempotency key, or the given one. */
export function postInvoice(
	service: TestService,
	tenant: Tenant,
	body: unknown,
	headers: Record<string, string> = {},
): Promise<Response> {
	return post(service, "/v1/invoices", { ...tenant.headers, "idempotency-key": crypto.randomUUID(), ...headers }, body);
}

/** Polls until the document is decided. */
export async function untilDecided(
	service: TestService,
	tenant: Tenant,
	docId: string,
	timeoutMs = 15_000,
): Promise<Record<string, unknown>> {
	const deadline = performance.now() + timeoutMs;
	for (;;) {
		const answer = await get(service, `/v1/invoices/${docId}/status`, { authorization: `Bearer ${tenant.token}` });
		const status = (await answer.json()) as Record<string, unknown>;
		if (status.status !== "pending") return status;
		if (performance.now() > deadline) throw new Error(`still pending: ${JSON.stringify(status)}`);
		await Bun.sleep(20);
	}
}
