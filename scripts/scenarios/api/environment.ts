/**
 * The environment of API scenarios: a service as a real process with its own database and folder, and companies of different owners that
 * call it.
 */
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { connect, type Sql } from "../../../src/platform/database";
import { type Plan, SCOPES, type Scope } from "../../../src/platform/operation";
import { findFreePort, type Program, ROOT, startService } from "../../../test/support/processes";
import { openRegistryKeys } from "../../../test/support/registry-keys";
import type { Scenario, ScenarioContext } from "../run-scenarios";
import { type Description, fetchDescription } from "./description";
import { liveHeapSettings } from "./live-heap";

export type Environment = {
	readonly folder: string;
	readonly url: string;
	readonly sql: Sql;
	readonly kekFile: string;
	readonly api: Description;
	readonly service: Program;
	/** Creates a key of a fresh owner. */
	readonly createKey: (scopes?: readonly Scope[], plan?: Plan) => Promise<string>;
	/** Registers an unused company, under a fresh owner's key by default. */
	readonly register: (options?: RegisterOptions) => Promise<Caller>;
	readonly readLog: () => string;
	/** RNCs of active companies that may be registered, or are. */
	readonly rncs: readonly string[];
};

export type RegisterOptions = {
	readonly apiKey?: string;
	readonly scopes?: readonly Scope[];
	readonly plan?: Plan;
	readonly more?: object;
};

/** A company with valid credentials. */
export type Caller = {
	readonly rnc: string;
	readonly name: string;
	readonly tenantId: string;
	readonly clientId: string;
	readonly clientSecret: string;
	readonly apiKey: string;
	readonly token: string;
	readonly headers: Readonly<Record<string, string>>;
};

export type Settings = Readonly<Record<string, string>>;

/** A closed port: webhooks to it fail at once, and leave a delivery with attempts. */
export const DEAF_HOST = "127.0.0.1:9";
const END_TIMEOUT_MS = 15_000;
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

export async function openEnvironment(context: ScenarioContext, settings: Settings = {}): Promise<Environment> {
	const folder = join(context.folder, `environment-${environments++}`);
	mkdirSync(folder);
	const databaseUrl = await context.createDatabase();
	const sql = connect({ url: databaseUrl, name: "scenario", connectionsMax: 4 });
	context.atEnd(() => sql.end({ timeout: 2 }));
	const logPath = join(folder, "service.log");
	const service = startService(
		{
			PORT: String(await findFreePort()),
			DATA_DIR: folder,
			DATABASE_URL: databaseUrl,
			// One thread is enough here, and each takes time to start.
			SIGN_THREADS: "1",
			LOG_LEVEL: "warn",
			...{ WEBHOOK_ALLOW: DEAF_HOST, WEBHOOK_MAX_RETRIES: "1", WEBHOOK_TIME_SCALE: "0.01" },
			...liveHeapSettings(folder),
			...settings,
		},
		logPath,
	);
	void service.ended.then((ending) => appendFileSync(logPath, `the service ended with ${ending}\n`));
	context.atEnd(() => end(service));
	const url = await service.ready;
	const kekFile = join(folder, "kek");
	const keys = await openRegistryKeys({ sql, kekFile, url });
	context.atEnd(keys.close);
	const rncs = listActiveCompanies();
	const free = [...rncs];
	const createKey = (scopes: readonly Scope[] = SCOPES, plan: Plan = "unlimited") => keys.createKey(scopes, plan);
	return {
		...{ folder, url, sql, kekFile, service, createKey, rncs },
		api: await fetchDescription(url),
		readLog: () => readFileSync(logPath, "utf8"),
		async register({ apiKey, scopes, plan, more = {} } = {}) {
			const key = apiKey ?? (await createKey(scopes, plan));
			for (;;) {
				const rnc = free.pop();
				if (rnc === undefined) throw new Error("the sample registry has no company left");
				const made = await post(`${url}/v1/company`, { "x-api-key": key }, { rnc, ...more });
				// Random requests of another scenario register companies here too.
				if (made.status === 409) continue;
				if (made.status !== 201) throw new Error(`a company was answered with ${made.status}: ${made.text}`);
				const { tenantId, name, credentials } = JSON.parse(made.text) as {
					tenantId: string;
					name: string;
					credentials: { clientId: string; clientSecret: string };
				};
				const token = await obtainToken(url, credentials);
				const headers = { "x-api-key": key, authorization: `Bearer ${token}` };
				return { ...{ rnc, name, tenantId, token, headers }, ...credentials, apiKey: key };
			}
		},
	};
}

export async function obtainToken(
	url: string,
	{ clientId, clientSecret }: Pick<Caller, "clientId" | "clientSecret">,
): Promise<string> {
	const grant = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
	const { status, text } = await post(`${url}/v1/auth/token`, {}, grant);
	if (status !== 200) throw new Error(`a token was answered with ${status}: ${text}`);
	return (JSON.parse(text) as { access_token: string }).access_token;
}

export async function post(
	url: string,
	headers: Readonly<Record<string, string>>,
	body: unknown,
): Promise<{ status: number; text: string; headers: Headers }> {
	const answer = await fetch(url, {
		method: "POST",
		headers: { "content-type": "application/json", ...headers },
		body: JSON.stringify(body),
	});
	return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

/** An ordinary invoice of a company, with its own number. */
export function buildInvoice({ rnc, name }: Pick<Caller, "rnc" | "name">, number: number): Record<string, unknown> {
	return {
		type: "31",
		encf: `E31${String(number).padStart(10, "0")}`,
		company: { rnc, name },
		customer: { rnc: "131880681", name: "FERRETERIA EL PROGRESO SRL" },
		lines: [
			{ line_number: 1, description: "Cemento gris 42.5kg", quantity: "10", unit_price: "450.00", subtotal: "4500.00" },
		],
		totals: { subtotal: "4500.00", tax: "810.00", grand_total: "5310.00" },
	};
}

/** RNCs of the sample registry's active companies, those of examples last. */
function listActiveCompanies(): string[] {
	const files = unzipSync(readFileSync(join(ROOT, "data/registry/sample.zip")));
	return new TextDecoder("latin1")
		.decode(Object.values(files)[0])
		.split("\r\n")
		.map((line) => line.split("|").map((cell) => cell.trim()))
		.filter((cells) => cells.length === 11 && /^\d{9}$/.test(cells[0] ?? "") && cells[9] === "ACTIVO")
		.flatMap((cells) => (cells[0] === undefined || cells[0].startsWith("99000000") ? [] : [cells[0]]));
}

async function end(program: Program): Promise<void> {
	program.kill("SIGTERM");
	const timer = setTimeout(() => program.kill("SIGKILL"), END_TIMEOUT_MS);
	await program.ended;
	clearTimeout(timer);
}
