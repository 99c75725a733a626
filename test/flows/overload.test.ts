/** More documents than the signing threads can take: refused before anything is stored, and welcome again later. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/app/config/read-config";
import { type Service, startService } from "../../src/app/service";
import { openTestDatabase, type TestDatabase } from "../support/database";

const RNC = "990000001";
const dataDir = mkdtempSync(join(tmpdir(), "sello-overload-"));
let database: TestDatabase;
let service: Service;
let headers: Record<string, string>;

beforeAll(async () => {
	database = await openTestDatabase();
	// The thread hangs at its second document, and is replaced only when all five have long been at the door.
	process.env.THREAD_FAULT = "sign-job:2:hang";
	const settings = {
		PORT: "0",
		DATA_DIR: dataDir,
		DATABASE_URL: database.url,
		AUTHORITY_URL: "http://127.0.0.1:9",
		ROLE: "api",
		SIGN_QUEUE_MAX: "1",
		SIGN_TIMEOUT_SECONDS: "8",
		LOG_LEVEL: "silent",
	};
	service = await startService(await readConfig(settings, 1));
	const key = { "x-api-key": service.demoKey ?? "" };
	const company = (await (await send("/v1/company", { rnc: RNC }, key)).json()) as {
		credentials: { clientId: string; clientSecret: string };
	};
	const { clientId, clientSecret } = company.credentials;
	// The demo plan would refuse long before there is no room.
	await database.sql`update oauth_clients set plan = 'unlimited' where client_id = ${clientId}`;
	const grant = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
	const { access_token } = (await (await send("/v1/auth/token", grant, key)).json()) as { access_token: string };
	headers = { ...key, authorization: `Bearer ${access_token}` };
}, 120_000);

afterAll(async () => {
	delete process.env.THREAD_FAULT;
	await service.stop();
	await database.close();
	rmSync(dataDir, { recursive: true, force: true });
});

function send(path: string, body: unknown, more: Record<string, string>): Promise<Response> {
	return fetch(`${service.url}${path}`, {
		method: "POST",
		headers: { "content-type": "application/json", ...more },
		body: JSON.stringify(body),
	});
}

const keys = Array.from({ length: 6 }, () => crypto.randomUUID());

function invoiceOf(number: number) {
	return {
		type: "31",
		encf: `E31${String(number + 1).padStart(10, "0")}`,
		company: { rnc: RNC, name: "PANADERIA LA ESPIGA SRL" },
		customer: { rnc: "131880681", name: "CLIENTE SRL" },
		lines: [{ line_number: 1, description: "Pan", quantity: "1", unit_price: "100.00", subtotal: "100.00" }],
		totals: { subtotal: "100.00", tax: "18.00", grand_total: "118.00" },
	};
}

function issue(number: number): Promise<Response> {
	return send("/v1/invoices", invoiceOf(number), { ...headers, "idempotency-key": keys[number] ?? "" });
}

test("the running and the waiting request are stored, the others get 503", async () => {
	expect((await issue(0)).status).toBe(202);
	// For the threads that come after it: the one that runs has read it.
	delete process.env.THREAD_FAULT;
	const answers = await Promise.all([1, 2, 3, 4, 5].map(issue));
	const refused = answers.flatMap((answer, i) => (answer.status === 503 ? [i + 1] : []));
	// One waits; the thread was given the one that came first, and the second with it if it came in the same turn.
	const taken = answers.filter(({ status }) => status === 202).length;
	expect([2, 3]).toContain(taken);
	expect(refused).toHaveLength(5 - taken);
	for (const answer of answers.filter(({ status }) => status === 503)) {
		expect(answer.headers.get("retry-after")).toBe("1");
		expect(((await answer.json()) as { type: string }).type).toEndWith("/errors/service-unavailable");
	}
	const [stored] = await database.sql`
		select (select count(*) from documents)::int as invoices, (select count(distinct key) from request_keys)::int as keys`;
	expect(stored).toMatchObject({ invoices: 1 + taken, keys: 1 + taken });

	for (const number of refused) expect((await issue(number)).status).toBe(202);
	for (const number of refused) expect((await issue(number)).status).toBe(200);
	const [all] =
		await database.sql`select count(*)::int as invoices, count(distinct encf)::int as numbers from documents`;
	expect(all).toMatchObject({ invoices: 6, numbers: 6 });
}, 120_000);

type BatchAnswer = { readonly results: readonly { readonly status: number; readonly docId?: string }[] };

test("a batch that was partly refused is completed by repeats under the same key", async () => {
	const toBatch = (round: number, lane: number) => ({
		key: crypto.randomUUID(),
		body: {
			invoices: Array.from({ length: 10 }, (_, i) => ({
				...invoiceOf(1_000 + round * 100 + lane * 10 + i),
				client_request_id: `overload-${round}-${lane}-${i}`,
			})),
		},
	});
	const post = ({ key, body }: ReturnType<typeof toBatch>) =>
		send("/v1/invoices:batch", body, { ...headers, "idempotency-key": key });
	const statusesOf = ({ results }: BatchAnswer) => results.map(({ status }) => status);

	let mixed: ReturnType<typeof toBatch> | undefined;
	// Which of them find room is chance: a round in which all do, or none, proves nothing.
	for (let round = 0; !mixed; round++) {
		if (round === 50) throw new Error("in 50 rounds no batch was issued in part");
		const batches = [0, 1, 2, 3].map((lane) => toBatch(round, lane));
		const answers = await Promise.all(batches.map(async (batch) => (await (await post(batch)).json()) as BatchAnswer));
		mixed = batches.find((_, lane) => {
			const statuses = new Set(answers[lane] && statusesOf(answers[lane]));
			return statuses.has(202) && statuses.has(503);
		});
	}
	const repeated = await post(mixed);
	expect(repeated.headers.get("idempotency-replayed")).toBe("false");
	const text = await repeated.text();
	const statuses = statusesOf(JSON.parse(text));
	expect(new Set(statuses)).toEqual(new Set([200, 202]));
	const again = await post(mixed);
	expect(again.headers.get("idempotency-replayed")).toBe("true");
	expect(await again.text()).toBe(text);
}, 120_000);
