/** The public sandbox with two HTTP processes: both share the counts, and the demo key is counted per address. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { type Program, runAdmin, startService } from "../support/processes";

const TIMEOUT_MS = 240_000;
const DEMO = { "x-api-key": "ak_demo_public0000000000000000" };
const UNKNOWN_ID = "01920000-0000-7000-8000-000000000000";

type Answer = {
	readonly status: number;
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
	readonly body: Record<string, unknown>;
};

const folder = mkdtempSync(join(tmpdir(), "sello-test-limits-"));
let database: TestDatabase;
let program: Program;
let url: string;
let settings: Record<string, string>;

beforeAll(async () => {
	database = await openTestDatabase();
	settings = { DATABASE_URL: database.url, DATA_DIR: folder, ENVIRONMENT: "public-sandbox", LOG_LEVEL: "error" };
	program = startService({ ...settings, PORT: "0", PROCESSES: "2" }, join(folder, "service.log"));
	url = await program.ready;
}, TIMEOUT_MS);
afterAll(async () => {
	program.kill("SIGTERM");
	await program.ended;
	await database.close();
	rmSync(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

/** Each on a connection of its own, so that both processes get some. */
function call(
	path: string,
	headers: Record<string, string>,
	more: { from?: string; body?: unknown } = {},
): Promise<Answer> {
	const { from = "127.0.0.1", body } = more;
	const { hostname: host, port } = new URL(url);
	const method = body === undefined ? "GET" : "POST";
	return new Promise((resolve, reject) => {
		const json = body === undefined ? {} : { "content-type": "application/json; charset=utf-8" };
		const sent = request(
			{ host, port, path, method, localAddress: from, agent: false, headers: { ...headers, ...json } },
			(answer) => {
				const chunks: Buffer[] = [];
				answer.on("data", (chunk: Buffer) => chunks.push(chunk));
				answer.on("error", reject);
				answer.on("end", () => {
					const text = Buffer.concat(chunks).toString();
					resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: JSON.parse(text || "{}") });
				});
			},
		);
		sent.on("error", reject);
		sent.end(body === undefined ? undefined : JSON.stringify(body));
	});
}

/** Asks in fours until one is refused; what came before it. */
async function untilRefused(ask: () => Promise<Answer>, most: number): Promise<{ passed: number; refused: Answer }> {
	let passed = 0;
	while (passed <= most) {
		const answers = await Promise.all([1, 2, 3, 4].map(ask));
		const refused = answers.find(({ status }) => status === 429);
		passed += answers.filter(({ status }) => status !== 429).length;
		if (refused) return { passed, refused };
	}
	throw new Error(`none of ${passed} was refused`);
}

async function tenantOf(apiKey: string, rnc: string): Promise<Record<string, string>> {
	const company = await call("/v1/company", { "x-api-key": apiKey }, { body: { rnc } });
	if (company.status !== 201) throw new Error(`company: ${JSON.stringify(company)}`);
	const { clientId, clientSecret } = company.body.credentials as { clientId: string; clientSecret: string };
	const body = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
	const token = await call("/v1/auth/token", { "x-api-key": apiKey }, { body });
	return { "x-api-key": apiKey, authorization: `Bearer ${token.body.access_token}` };
}

test(
	"the 121st status poll of a free tenant in an hour is refused by both processes",
	async () => {
		const create = ["keys", "create", "--plan", "free", "--label", "polls"];
		const { key } = (await runAdmin(create, settings)) as { key: string };
		const tenant = await tenantOf(key, "990000001");
		const poll = () => call(`/v1/invoices/${UNKNOWN_ID}/status`, tenant);
		const answers: Answer[] = [];
		for (let i = 0; i < 30; i++) answers.push(...(await Promise.all([poll(), poll(), poll(), poll()])));
		expect(answers.map(({ status }) => status)).toEqual(Array(120).fill(404));
		const refused = await poll();
		expect(refused).toMatchObject({
			status: 429,
			headers: { "ratelimit-policy": '"poll";q=120;w=3600' },
			body: { limit: 120, windowSeconds: 3_600, policy: "poll" },
		});
		expect(Number(refused.headers["retry-after"])).toBe(Number(refused.body.retryAfter));
		expect(Number(refused.body.retryAfter)).toBeGreaterThan(1_000);
		const other = await tenantOf(key, "990000002");
		expect((await call(`/v1/invoices/${UNKNOWN_ID}/status`, other)).status).toBe(404);
	},
	TIMEOUT_MS,
);

describe("the demo key", () => {
	const search = (from: string, headers: Record<string, string> = {}) =>
		call("/v1/authority/document:search?field=name&q=srl&limit=1", { ...DEMO, ...headers }, { from });

	test(
		"searches 20 times a minute per address, whatever the headers say",
		async () => {
			let n = 0;
			// Two processes give out their twenty each before they know of one another.
			const { passed, refused } = await untilRefused(
				() => search("127.0.0.1", { "x-forwarded-for": `192.0.2.${n++ % 250}` }),
				400,
			);
			expect(passed).toBeGreaterThanOrEqual(20);
			expect(refused.headers["ratelimit-policy"]).toBe('"demo-search";q=20;w=60');
			expect(refused.headers["retry-after"]).toBe(String(refused.body.retryAfter));
			expect(refused.body).toMatchObject({
				...{ limit: 20, windowSeconds: 60, policy: "demo-search" },
				detail: "Demo key: 20 searches in 60 seconds for each address.",
			});
			const elsewhere = await search("127.0.0.2");
			expect(elsewhere.status).toBe(200);
			expect(elsewhere.headers.ratelimit).toMatch(/^"demo-search";r=1\d;t=\d+$/);
		},
		TIMEOUT_MS,
	);

	test(
		"gets 10 tokens a minute per address, with or without the key",
		async () => {
			const from = "127.0.0.6";
			const body = { grant_type: "client_credentials", client_id: "demo", client_secret: "demo" };
			const { passed, refused } = await untilRefused(() => call("/v1/auth/token", {}, { from, body }), 100);
			expect(passed).toBeGreaterThanOrEqual(10);
			expect(refused.body.error_description).toBe(refused.body.detail);
			expect(refused).toMatchObject({
				...{
					status: 429,
					body: { limit: 10, windowSeconds: 60, policy: "demo-token", error: "temporarily_unavailable" },
				},
				headers: { "ratelimit-policy": '"demo-token";q=10;w=60' },
			});
			const keyless = await untilRefused(() => call("/v1/auth/token", DEMO, { from, body }), 20);
			expect(keyless.passed).toBeLessThan(10);
			expect((await call("/v1/auth/token", {}, { from: "127.0.0.7", body })).status).toBe(200);
		},
		TIMEOUT_MS,
	);

	test(
		"registers five companies a day from each address, counted for both processes",
		async () => {
			const from = "127.0.0.3";
			const register = (rnc: string) => call("/v1/company", DEMO, { from, body: { rnc } });
			// Neither what is malformed nor what is taken is a company.
			for (const [rnc, status] of [
				["1", 400],
				["1", 400],
				["990000001", 409],
				["990000003", 201],
			] as const) {
				const answer = await register(rnc);
				expect([rnc, answer.status]).toEqual([rnc, status]);
				expect(answer.headers["ratelimit-policy"]).toBe('"demo-write";q=20;w=60, "demo-company-day";q=5;w=86400');
				const left = status === 201 ? 4 : 5;
				expect(answer.headers.ratelimit).toMatch(new RegExp(`, "demo-company-day";r=${left};t=\\d+$`));
			}
			const answers: Answer[] = [];
			for (let i = 0; i < 5; i++) answers.push(await register(`99000000${4 + i}`));
			expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 429]);
			expect(answers[4]?.body).toMatchObject({ limit: 5, windowSeconds: 86_400, policy: "demo-company-day" });
			expect((await register("1")).status).toBe(429);
			expect((await call("/v1/company", DEMO, { from: "127.0.0.4", body: { rnc: "1" } })).status).toBe(400);
		},
		TIMEOUT_MS,
	);

	test(
		"is limited per minute and day, and its demo client to 120 polls an hour",
		async () => {
			const from = "127.0.0.5";
			const body = { grant_type: "client_credentials", client_id: "demo", client_secret: "demo" };
			const token = await call("/v1/auth/token", DEMO, { from, body });
			expect(token.headers["ratelimit-policy"]).toBe('"demo-token";q=10;w=60');
			const both = { ...DEMO, authorization: `Bearer ${token.body.access_token}` };
			const key = { "idempotency-key": crypto.randomUUID() };
			const issued = await call("/v1/invoices", { ...both, ...key }, { from, body: {} });
			expect(issued.status).toBe(400);
			expect(issued.headers["ratelimit-policy"]).toBe('"demo-issue";q=10;w=60, "demo-issue-day";q=200;w=86400');
			const polled = await call(`/v1/invoices/${UNKNOWN_ID}/status`, both, { from });
			expect(polled.headers.ratelimit).toStartWith('"demo-poll";r=119;');
		},
		TIMEOUT_MS,
	);
});
