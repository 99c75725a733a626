/**
 * A change in one HTTP process reaches the other. Both share a port, and the kernel decides which one gets a new connection. Sixteen
 * connections in a row reach both, except once in thirty thousand.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { type Program, runAdmin, startService } from "../support/processes";
import { until } from "../support/until";

const folder = mkdtempSync(join(tmpdir(), "sello-test-two-processes-"));
const CONNECTIONS = 16;

let database: TestDatabase;
let settings: Record<string, string>;
let program: Program;
let url: string;
let key: string;
let client: { client_id: string; client_secret: string };
let tenantId: string;

beforeAll(async () => {
	database = await openTestDatabase();
	settings = {
		PORT: "0",
		DATA_DIR: folder,
		DATABASE_URL: database.url,
		PROCESSES: "2",
		SIGN_THREADS: "1",
		LOG_LEVEL: "warn",
	};
	program = startService(settings, join(folder, "service.log"));
	url = await program.ready;
	const made = await runAdmin(["keys", "create", "--plan", "unlimited", "--label", "both"], settings);
	({ key } = made as { key: string });
	const company = await ask("POST", "/v1/company", { "x-api-key": key }, { rnc: "990000001" });
	const { credentials, ...record } = (await company.json()) as {
		tenantId: string;
		credentials: { clientId: string; clientSecret: string };
	};
	tenantId = record.tenantId;
	client = { client_id: credentials.clientId, client_secret: credentials.clientSecret };
}, 180_000);

afterAll(async () => {
	program.kill("SIGTERM");
	await program.ended;
	await database.close();
	rmSync(folder, { recursive: true });
}, 60_000);

/** A request on a connection of its own. */
const ask = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
	fetch(`${url}${path}`, {
		method,
		headers: { connection: "close", ...(body ? { "content-type": "application/json" } : {}), ...headers },
		...(body ? { body: JSON.stringify(body) } : {}),
		keepalive: false,
	});

type Tokens = { access_token: string; refresh_token: string };
async function getTokens(): Promise<Tokens> {
	const answer = await ask("POST", "/v1/auth/token", {}, { grant_type: "client_credentials", ...client });
	expect(answer.status).toBe(200);
	return (await answer.json()) as Tokens;
}
const both = (token: string, apiKey = key) => ({ "x-api-key": apiKey, authorization: `Bearer ${token}` });

async function makeKey(token: string): Promise<{ id: string; key: string }> {
	const answer = await ask("POST", "/v1/api-keys", both(token), { label: "for a while" });
	return (await answer.json()) as { id: string; key: string };
}

/** The statuses that many connections get, one after another. */
async function statusesOf(headers: Record<string, string>): Promise<Set<number>> {
	const statuses = new Set<number>();
	for (let i = 0; i < CONNECTIONS; i++) statuses.add((await ask("GET", "/v1/invoices?limit=1", headers)).status);
	return statuses;
}

/** Every process knows the caller, whom it thus remembers; then something ends it, and every process must come to refuse it. */
async function expectEnded(headers: Record<string, string>, end: () => Promise<unknown>): Promise<void> {
	expect(await statusesOf(headers)).toEqual(new Set([200]));
	await end();
	await until(async () => {
		const statuses = await statusesOf(headers);
		return statuses.size === 1 && statuses.has(401);
	}, 60_000);
}

const kidOf = (token: string): string =>
	(JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()) as { kid: string }).kid;

test("two processes listen for changes", async () => {
	const rows = await database.sql`
		select 1 from pg_stat_activity
		where datname = current_database() and application_name = 'sello listen' and query ilike 'listen%'`;
	expect(rows.length).toBe(2);
});

test("removed keys, revoked tokens and renewed credentials are refused by both", async () => {
	const { access_token } = await getTokens();
	const made = await makeKey(access_token);
	await expectEnded(both(access_token, made.key), () => ask("DELETE", `/v1/api-keys/${made.id}`, both(access_token)));

	const other = await getTokens();
	await expectEnded(both(other.access_token), () => ask("POST", "/v1/auth/revoke", {}, { token: other.access_token }));

	await expectEnded(both(access_token), async () => {
		const path = `/v1/company/${tenantId}/credentials`;
		const renewed = await ask("POST", path, { "x-api-key": key }, { graceSeconds: 0 });
		const { clientId, clientSecret } = (await renewed.json()) as { clientId: string; clientSecret: string };
		client = { client_id: clientId, client_secret: clientSecret };
	});
}, 180_000);

test("a key rotated without grace is refused by both, and its successor works", async () => {
	const { access_token } = await getTokens();
	const old = await makeKey(access_token);
	let next = "";
	await expectEnded(both(access_token, old.key), async () => {
		const answer = await ask("POST", `/v1/api-keys/${old.id}/rotate`, both(access_token), { graceSeconds: 0 });
		next = ((await answer.json()) as { key: string }).key;
	});
	expect(await statusesOf(both(access_token, next))).toEqual(new Set([200]));
}, 180_000);

test("one of many concurrent uses of a refresh token wins", async () => {
	for (let round = 0; round < 3; round++) {
		const { access_token, refresh_token } = await getTokens();
		const use = (token: string) =>
			ask("POST", "/v1/auth/token", {}, { grant_type: "refresh_token", refresh_token: token });
		const answers = await Promise.all(Array.from({ length: CONNECTIONS }, () => use(refresh_token)));
		const won = answers.filter(({ status }) => status === 200);
		expect(won).toHaveLength(1);
		// After ten failures of a client, further ones are 429.
		expect(answers.filter(({ status }) => status === 401 || status === 429)).toHaveLength(CONNECTIONS - 1);
		const [tokens] = await Promise.all(won.map(async (answer) => (await answer.json()) as Tokens));
		expect([401, 429]).toContain((await use(tokens?.refresh_token ?? "")).status);
		for (const token of [access_token, tokens?.access_token ?? ""]) {
			await until(async () => [...(await statusesOf(both(token)))].join() === "401");
		}
	}
}, 180_000);

test("streams at both end when the key that opened them is removed", async () => {
	const { access_token } = await getTokens();
	const made = await makeKey(access_token);
	const headers = { ...both(access_token, made.key), accept: "text/event-stream" };
	const open = () => ask("GET", "/v1/events?after=latest", headers);
	const streams = await Promise.all(Array.from({ length: CONNECTIONS }, open));
	expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
	expect((await ask("DELETE", `/v1/api-keys/${made.id}`, both(access_token))).status).toBe(204);
	for (const stream of streams) expect(await stream.text()).toStartWith("retry: ");
}, 180_000);

test("both know a new signing key as soon as one signs with it", async () => {
	const old = (await getTokens()).access_token;
	const rotate = async (...options: string[]) =>
		(await runAdmin(["keys-signing", "rotate", ...options], settings)) as { kid: string; former: { kid: string }[] };

	const { kid, former } = await rotate();
	expect(former.map((one) => one.kid)).toEqual([kidOf(old)]);
	for (let i = 0; i < CONNECTIONS; i++) {
		expect(await statusesOf(both((await getTokens()).access_token))).toEqual(new Set([200]));
	}
	await until(async () => {
		const kids = new Set<string>();
		for (let i = 0; i < CONNECTIONS; i++) kids.add(kidOf((await getTokens()).access_token));
		return kids.size === 1 && kids.has(kid);
	}, 60_000);
	expect(await statusesOf(both(old))).toEqual(new Set([200]));
	const published = await (await ask("GET", "/.well-known/jwks.json", {})).json();
	const kidsOfTokens = (published as { keys: { kid: string }[] }).keys
		.map((one) => one.kid)
		.filter((one) => !one.startsWith("registry-"));
	expect(kidsOfTokens).toEqual([kid, kidOf(old)]);

	await expectEnded(both(old), () => rotate("--at-once"));
	const fresh = (await getTokens()).access_token;
	expect(kidOf(fresh)).not.toBe(kid);
	expect(await statusesOf(both(fresh))).toEqual(new Set([200]));
}, 180_000);

// The last one: it leaves no service behind.
test("the others end when the first one is killed, and their port is free again", async () => {
	program.kill("SIGKILL");
	await program.ended;
	const { port } = new URL(url);
	const isFree = () => {
		try {
			void Bun.serve({ port, hostname: "127.0.0.1", fetch: () => new Response() }).stop(true);
			return true;
		} catch {
			return false;
		}
	};
	await until(async () => isFree(), 30_000);
}, 60_000);
