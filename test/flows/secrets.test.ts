/**
 * Thirteen secrets go through a real process of the service, with its most talkative log: through logins, invoices, webhooks,
 * refusals of every kind, failures inside, a kill and a restart. Afterwards they are looked for, in every spelling, wherever
 * the service writes: its output, its answers, its tables, its archive, its data directory, its command lines.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { connect, findEmbeddedOwnerUrl, findEmbeddedUrl } from "../../src/platform/database";
import { makePkcs12 } from "../api/support/companies";
import { listTables } from "../support/documents";
import { until } from "../support/until";
import { startReceiver, type WebhookReceiver } from "../support/webhook-receiver";

const ROOT = join(import.meta.dir, "../..");
const folder = mkdtempSync(join(tmpdir(), "sello-secrets-"));
const dataDir = join(folder, "data");

/** A secret by its name, as the bytes that it is. */
const canaries = new Map<string, Buffer>();
/** Everything that the service has answered, the one answer that shows a secret aside. */
const answers: string[] = [];
/** Every start of the service writes to files of its own. */
let starts = 0;
const commandLines: string[] = [];
let tables = "";
let receiver: WebhookReceiver;
let child: ReturnType<typeof spawnService> | undefined;

function spawnService() {
	const settings = {
		...{ PATH: process.env.PATH ?? "", HOME: folder, PORT: "0", DATA_DIR: dataDir, LOG_LEVEL: "trace" },
		...{ WEBHOOK_ALLOW: receiver.host, WEBHOOK_TIME_SCALE: "0.001", INTERNAL_SLA_SECONDS: "1", SIGN_THREADS: "1" },
	};
	const [stdout, stderr] = ["stdout", "stderr"].map((name) => Bun.file(join(folder, `${name}-${starts}`)));
	starts++;
	return Bun.spawn([process.execPath, "src/main.ts"], { cwd: ROOT, env: settings, stdout, stderr });
}

const readOutputs = (name: "stdout" | "stderr") =>
	Array.from({ length: starts }, (_, n) => readFileSync(join(folder, `${name}-${n}`), "utf8"));

/** Starts the service and answers its address; all that it writes is kept. */
async function start(): Promise<string> {
	const started = spawnService();
	child = started;
	const findUrl = () => /\{"msg":"ready","url":"([^"]+)"/.exec(readOutputs("stdout").at(-1) ?? "")?.[1];
	await until(() => findUrl() !== undefined || started.exitCode !== null, 30_000);
	const url = findUrl();
	if (!url) throw new Error(`the service ended before it was ready: ${readOutputs("stderr").at(-1)}`);
	return url;
}

async function stop(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
	child?.kill(signal);
	await child?.exited;
	child = undefined;
}

/** Command lines of a process and all that descend from it. */
function readCommandLines(pid: number): string[] {
	const children = readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name))
		.map((name) => ({ name, stat: readOrNothing(`/proc/${name}/stat`) }))
		.filter(({ stat }) => stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] === String(pid));
	return [readOrNothing(`/proc/${pid}/cmdline`), ...children.flatMap(({ name }) => readCommandLines(Number(name)))];
}

/** A process may end while it is being looked at. */
function readOrNothing(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch (error) {
		if ((error as { code?: string }).code === "ENOENT" || (error as { code?: string }).code === "ESRCH") return "";
		throw error;
	}
}

type Json = Record<string, unknown>;

/** Calls the service; its answer is kept for the search unless it is the one that hands a secret to its owner. */
async function call(
	url: string,
	init: RequestInit & { handsOut?: true } = {},
): Promise<{ status: number; body: Json }> {
	const answer = await fetch(url, init);
	const text = await answer.text();
	if (!init.handsOut) answers.push(JSON.stringify([...answer.headers]), text);
	const isJson = answer.headers.get("content-type")?.includes("json");
	return { status: answer.status, body: isJson ? (JSON.parse(text) as Json) : {} };
}

const jsonHeaders = { "content-type": "application/json" };
const postTo = (url: string, headers: Record<string, string>, body: unknown, handsOut?: true) =>
	call(url, {
		method: "POST",
		headers: { ...jsonHeaders, ...headers },
		body: typeof body === "string" ? body : JSON.stringify(body),
		...(handsOut ? { handsOut } : {}),
	});

async function createKey(): Promise<string> {
	const command = [
		process.execPath,
		"scripts/admin.ts",
		"keys",
		"create",
		"--plan",
		"unlimited",
		"--label",
		"canary",
		"--json",
	];
	const admin = Bun.spawn(command, {
		cwd: ROOT,
		env: { ...process.env, DATA_DIR: dataDir },
		stdout: "pipe",
		stderr: "pipe",
	});
	const [stdout, stderr] = await Promise.all([new Response(admin.stdout).text(), new Response(admin.stderr).text()]);
	if ((await admin.exited) !== 0) throw new Error(`admin keys create: ${stderr}`);
	return (JSON.parse(stdout) as { key: string }).key;
}

function invoice(encf: string, buyer: string): Json {
	return {
		...{ type: "31", encf, company: { rnc: "990000001", name: "FERRETERIA EL PROGRESO SRL" } },
		customer: { rnc: buyer, name: "CLIENTE SRL" },
		lines: [{ line_number: 1, description: "Cemento", quantity: "10", unit_price: "450.00", subtotal: "4500.00" }],
		totals: { subtotal: "4500.00", tax: "810.00", grand_total: "5310.00" },
	};
}

const secretOf = (name: string) => canaries.get(name)?.toString() ?? "";
const keep = (name: string, text: unknown): string => {
	if (typeof text !== "string" || text.length < 12) throw new Error(`${name} is no secret: ${text}`);
	canaries.set(name, Buffer.from(text));
	return text;
};

beforeAll(async () => {
	receiver = await startReceiver();
	receiver.answer("/broken", 500);
	let url = await start();
	const apiKey = keep("API key", await createKey());
	const key = { "x-api-key": apiKey };

	// A company with its own certificate, whose key and password must never be shown again, and two webhooks.
	const certificate = await makePkcs12(keep("password of the certificate", "contrasena-4711-canaria"));
	const { pkcs12, privateKey, password } = certificate;
	// A line that lies whole in the private exponent; its bytes in base64 are the line itself.
	canaries.set("private key, a line of its PEM", Buffer.from(privateKey.split("\n")[8] ?? "", "base64"));
	const webhooks = ["/working", "/broken"].map((path) => `http://${receiver.host}${path}`);
	const registration = { rnc: "990000001", webhooks, certificate: { pkcs12, password } };
	const { status, body: company } = await postTo(`${url}/v1/company`, key, registration, true);
	if (status !== 201) throw new Error(`the company was not registered: ${JSON.stringify(company)}`);
	const credentials = company.credentials as { clientId: string; clientSecret: string };
	keep("webhook secret", (company.webhooks as { secret: string }[])[0]?.secret);
	const client_secret = keep("client secret", credentials.clientSecret);
	const client = { grant_type: "client_credentials", client_id: credentials.clientId, client_secret };

	const logIn = async (base: string) =>
		(await postTo(`${base}/v1/auth/token`, key, client, true)).body as Record<string, string>;
	const first = await logIn(url);
	const refresh = { grant_type: "refresh_token", refresh_token: keep("refresh token", first.refresh_token) };
	const { body: second } = await postTo(`${url}/v1/auth/token`, {}, refresh, true);
	const token = keep("access token", second.access_token);
	keep("its signature alone", token.split(".")[2]);
	keep("refresh token that came for the first", second.refresh_token);

	const kek = readFileSync(join(dataDir, "kek"), "utf8").trim();
	canaries.set("key-encryption key", Buffer.from(kek, "base64"));
	keep("password of the database's owner", readFileSync(join(dataDir, "postgres.password"), "utf8").trim());
	keep("password of the service's login", readFileSync(join(dataDir, "postgres.service-password"), "utf8").trim());
	const wrong = keep("a secret sent to the wrong place", "cs_test_canary0000000000000000000sent");

	const bearer = { ...key, authorization: `Bearer ${token}` };
	const issue = (base: string, number: number, buyer: string, prefer = "wait=10") => {
		const headers = { ...bearer, "idempotency-key": crypto.randomUUID(), prefer };
		return postTo(`${base}/v1/invoices`, headers, invoice(`E31${String(number).padStart(10, "0")}`, buyer));
	};
	await forceErrors(url, { apiKey, token, wrong, client, bearer, pkcs12 });
	const verdicts = [
		await issue(url, 1, "131880681"),
		await issue(url, 2, "000000002"),
		await issue(url, 3, "000000006", "wait=5"),
	];
	expect(verdicts.map((one) => one.status)).toEqual([202, 422, 202]);
	await call(`${url}/v1/company/${company.tenantId}`, { headers: bearer });
	// The test event shows its signature, which is no secret, and the request that carries it.
	await postTo(`${url}/v1/webhooks/test`, bearer, {});
	await until(() => receiver.received.filter((one) => one.path === "/broken").length >= 6, 20_000);

	// The database goes away under the service, and comes back.
	const sql = connect({ url: findEmbeddedOwnerUrl(dataDir) ?? "", name: "the search", connectionsMax: 1 });
	await sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()`;
	await Promise.all(Array.from({ length: 12 }, () => call(`${url}/v1/invoices?limit=1`, { headers: bearer })));
	await sql.end({ timeout: 1 });

	// Killed with a document on its way, and started again on what it left behind.
	const { body: cut } = await issue(url, 4, "131880681", "wait=0s");
	await stop("SIGKILL");
	url = await start();
	commandLines.push(...readCommandLines(child?.pid ?? 0));
	const again = await logIn(url);
	bearer.authorization = `Bearer ${again.access_token}`;
	const ask = () => call(`${url}/v1/invoices/${cut.docId}/status`, { headers: bearer });
	await until(async () => (await ask()).body.status === "accepted", 30_000);
	// Using it a second time ends its family, the access token with it.
	await postTo(`${url}/v1/auth/token`, {}, refresh);
	await until(async () => readdirSync(join(dataDir, "archive"), { recursive: true }).length >= 4, 20_000);
	tables = await dumpTables();
	await stop("SIGTERM");
}, 120_000);

afterAll(async () => {
	await stop("SIGKILL");
	receiver.stop();
	rmSync(folder, { recursive: true, force: true });
});

/** Requests that are refused with a secret in them, at the places where a careless answer or log would repeat it. */
async function forceErrors(
	url: string,
	of: { apiKey: string; token: string; wrong: string; client: Json; bearer: Record<string, string>; pkcs12: string },
): Promise<void> {
	const { apiKey, token, wrong, client, bearer, pkcs12 } = of;
	const refused: Promise<{ status: number }>[] = [
		postTo(`${url}/v1/auth/token`, {}, { ...client, client_secret: wrong }),
		postTo(`${url}/v1/auth/token`, {}, { ...client, scope: wrong }),
		postTo(`${url}/v1/auth/token`, {}, { ...client, grant_type: client.client_secret }),
		postTo(`${url}/v1/auth/token`, {}, { ...client, expires_in: client.client_secret }),
		postTo(`${url}/v1/auth/token`, {}, { grant_type: "refresh_token", refresh_token: `${secretOf("refresh token")}x` }),
		postTo(
			`${url}/v1/auth/token`,
			{ authorization: `Basic ${btoa(`${client.client_id}:${wrong}`)}` },
			{ grant_type: "client_credentials" },
		),
		postTo(`${url}/v1/auth/token`, {}, `${JSON.stringify(client)}}`),
		postTo(`${url}/v1/auth/token`, {}, { ...client, client_secret: `${client.client_secret}\u0000` }),
		postTo(`${url}/v1/company`, { "x-api-key": `${apiKey}x` }, { rnc: "990000002" }),
		postTo(
			`${url}/v1/company`,
			{ "x-api-key": apiKey },
			{ rnc: "990000002", certificate: { pkcs12, password: wrong } },
		),
		postTo(
			`${url}/v1/company`,
			{ "x-api-key": apiKey },
			{ rnc: "990000002", webhookUrl: `https://user:${wrong}@example.com/` },
		),
		postTo(
			`${url}/v1/company`,
			{ "x-api-key": apiKey },
			{ rnc: apiKey, email: wrong, phone: secretOf("password of the certificate") },
		),
		postTo(`${url}/v1/invoices`, { ...bearer, "idempotency-key": wrong }, {}),
		postTo(`${url}/v1/invoices`, { ...bearer, "idempotency-key": crypto.randomUUID() }, { type: wrong, encf: apiKey }),
		postTo(
			`${url}/v1/invoices`,
			{ ...bearer, "idempotency-key": crypto.randomUUID(), "content-encoding": wrong.slice(0, 8) },
			"x",
		),
		call(`${url}/v1/invoices?after=${token}&status=${apiKey}`, { headers: bearer }),
		call(`${url}/v1/invoices`, { headers: { ...bearer, authorization: `Bearer ${token}x` } }),
		call(`${url}/v1/invoices`, { headers: { ...bearer, "x-request-id": `Bearer ${token}` } }),
	];
	const statuses = (await Promise.all(refused)).map((answer) => answer.status);
	expect(statuses.filter((status) => status >= 500)).toEqual([]);
	expect(statuses.filter((status) => status >= 400).length).toBe(refused.length - 1);
}

/** Every column of every row as text: bytes come out as hex. */
async function dumpTables(): Promise<string> {
	const sql = connect({ url: findEmbeddedUrl(dataDir) ?? "", name: "the search", connectionsMax: 1 });
	const names = await listTables(sql);
	let text = "";
	for (const name of names) {
		const rows = await sql.unsafe<{ row: string }[]>(`select t::text as row from "${name}" t`);
		text += `${name}\n${rows.map((one) => one.row).join("\n")}\n`;
	}
	await sql.end({ timeout: 1 });
	expect(names.length).toBeGreaterThan(15);
	return text;
}

/** The spellings of a secret: as it is, in hex, and in base64 wherever it begins in a longer text. */
function spell(secret: Buffer): Buffer[] {
	const spellings = [secret, Buffer.from(secret.toString("hex")), Buffer.from(secret.toString("hex").toUpperCase())];
	for (const shift of [0, 1, 2]) {
		const shifted = Buffer.concat([Buffer.alloc(shift), secret]);
		// The outer characters also hold bits of what stands beside the secret.
		for (const encoding of ["base64", "base64url"] as const) {
			const whole = shifted.subarray(0, shifted.length - (shifted.length % 3)).toString(encoding);
			spellings.push(Buffer.from(whole.slice(shift === 0 ? 0 : 4)));
		}
	}
	return spellings.filter((one) => one.length >= 8);
}

/** Names of the secrets that stand in the bytes. */
function findSecrets(bytes: Buffer): string[] {
	const found = [...canaries].filter(([, secret]) => spell(secret).some((spelling) => bytes.includes(spelling)));
	return found.map(([name]) => name);
}

const listFiles = (path: string): string[] =>
	readdirSync(path, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name));

test("there are thirteen secrets, and the search finds each of them in every spelling", () => {
	expect(canaries.size).toBe(13);
	for (const [name, secret] of canaries) {
		for (const text of [secret, secret.toString("hex"), btoa(`x${secret.toString("latin1")}yz`)]) {
			expect(findSecrets(Buffer.concat([Buffer.from("{"), Buffer.from(text), Buffer.from("}")]))).toContain(name);
		}
	}
});

describe("none of them is in", () => {
	test("what the service has written to its output", () => {
		const text = [...readOutputs("stdout"), ...readOutputs("stderr")].join("\n");
		expect(text.split("\n").filter((line) => line.includes('"msg":"request"')).length).toBeGreaterThan(30);
		expect(text).toContain(`"event":"submission.failed"`);
		expect(findSecrets(Buffer.from(text))).toEqual([]);
	});

	test("what the service has answered, errors first of all", () => {
		expect(answers.filter((text) => text.includes('"type":"http')).length).toBeGreaterThan(15);
		expect(findSecrets(Buffer.from(answers.join("\n")))).toEqual([]);
	});

	test("any column of any table", () => {
		expect(tables).toContain("webhook_endpoints");
		expect(findSecrets(Buffer.from(tables))).toEqual([]);
	});

	test("the archive", () => {
		const files = listFiles(join(dataDir, "archive"));
		expect(files.length).toBeGreaterThanOrEqual(3);
		for (const path of files) expect({ path, found: findSecrets(readFileSync(path)) }).toEqual({ path, found: [] });
	});

	test("the command lines of the service and of all that it has started", () => {
		expect(commandLines.join("\n")).toContain("postgres");
		expect(findSecrets(Buffer.from(commandLines.join("\n")))).toEqual([]);
	});

	test("what the receivers of webhooks got", () => {
		const sent = receiver.received.map((one) => `${JSON.stringify(one.headers)}${one.body}`).join("\n");
		expect(sent).toContain("invoice.rejected");
		expect(findSecrets(Buffer.from(sent))).toEqual([]);
	});

	/**
	 * Two exceptions. The key-encryption key made for a sandbox has its file, and nothing else. The passwords of the
	 * embedded server have their files and the address that the operator's commands read: a reader of those may read the server's data.
	 */
	test("the data directory, except in files that only their owner may read", () => {
		const meant: Readonly<Record<string, string>> = {
			kek: "key-encryption key",
			"postgres.password": "password of the database's owner",
			"postgres.service-password": "password of the service's login",
			"postgres.url": "password of the service's login",
		};
		for (const path of listFiles(dataDir)) {
			const name = relative(dataDir, path);
			const found = findSecrets(readFileSync(path)).filter((secret) => secret !== meant[name]);
			expect({ name, found }).toEqual({ name, found: [] });
		}
	});

	test("files or folders of the data directory that others may open", () => {
		const names = ["", ...readdirSync(dataDir, { recursive: true }).map(String)];
		expect(names).toContain("simulator.sqlite");
		const open = names.filter((name) => {
			const path = join(dataDir, name);
			// The server removes some of its files meanwhile.
			return existsSync(path) && (statSync(path).mode & 0o077) !== 0;
		});
		expect(open).toEqual([]);
	});
});
