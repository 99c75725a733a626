/** Invalid credentials get 401, and 429 after very many of them; valid ones still work. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { FAILED_CREDENTIALS } from "../../../src/identity/rate-limits/plans";
import { createTenant, get, openServiceIn, post, type Tenant } from "../../support/service";

const AT_ONCE = 100;
let service: Awaited<ReturnType<typeof openServiceIn>>;
let tenant: Tenant;
beforeAll(async () => {
	service = await openServiceIn("sandbox", { TRUSTED_PROXIES: "127.0.0.0/8" });
	tenant = await createTenant(service);
}, 120_000);
afterAll(() => service.stop(), 120_000);

const from = (address: string, headers: Record<string, string> = {}) =>
	get(service, "/v1/authority/registry/status", { "x-forwarded-for": address, ...headers });
const guess = (address: string) => from(address, { "x-api-key": "ak_test_guess" });

/** What has come back meanwhile is taken first. */
async function guessOn(guess: () => Promise<Response>): Promise<Response> {
	for (let i = 0; i < 1_000; i++) {
		const answer = await guess();
		if (answer.status !== 401) return answer;
	}
	throw new Error("a thousand guesses more were let in");
}

test("an address that guesses is slowed together with its /64 network only", async () => {
	const first = await guess("2001:db8::1");
	expect([first.status, first.headers.get("ratelimit-policy")]).toEqual([401, '"failed-credentials";q=10000;w=6000']);
	expect(first.headers.get("ratelimit")).toMatch(/^"failed-credentials";r=9999;t=\d+$/);
	for (let sent = 1; sent < FAILED_CREDENTIALS.burst; ) {
		const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => guess("2001:db8::1")));
		sent += answers.length;
		await Promise.all(answers.map((answer) => answer.text()));
	}
	const refused = await guessOn(() => guess("2001:db8::2"));
	expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
	expect(await refused.json()).toMatchObject({ policy: "failed-credentials", retryAfter: 1 });
	expect((await from("2001:db8::1", { "x-api-key": tenant.apiKey })).status).toBe(200);
	const fresh = await service.createKey();
	expect((await from("2001:db8::1", { "x-api-key": fresh })).status).toBe(200);
	expect((await guess("2001:db8:0:1::1")).status).toBe(401);
	expect((await guess("192.0.2.1")).status).toBe(401);
}, 120_000);

test.each(["/v1/auth/token", "/v1/auth/revoke"])(
	"%s: ten failures at once, then 429; the right secret passes",
	async (path) => {
		const own = await createTenant(service, { apiKey: tenant.apiKey });
		const send = (address: string, client_id: string, client_secret: string) =>
			post(
				service,
				path,
				{ "x-forwarded-for": address },
				{ grant_type: "client_credentials", token: "x", client_id, client_secret },
			);
		const fail = async (count: number, address: (i: number) => string, clientId: (i: number) => string) => {
			const all = Array.from({ length: count }, (_, i) => send(address(i), clientId(i), "cs_test_guess"));
			const answers = await Promise.all(all);
			return { answers, refused: answers.filter(({ status }) => status === 401).length };
		};
		// One address and many clients, then one client and many addresses. A token comes back each second.
		const place = path.length;
		const one = await fail(
			40,
			() => `198.51.100.${place}`,
			(i) => `cli_${i}`,
		);
		const many = await fail(
			40,
			(i) => `203.0.${place}.${i}`,
			() => own.clientId,
		);
		for (const { answers, refused } of [one, many]) {
			expect(refused).toBeGreaterThanOrEqual(10);
			expect(refused).toBeLessThan(30);
			const late = answers.find(({ status }) => status === 429);
			expect(late?.headers.get("retry-after")).toBe("1");
			expect(await late?.json()).toMatchObject({ policy: "failed-clients", error: "temporarily_unavailable" });
		}
		expect((await send(`198.51.100.${place}`, own.clientId, own.clientSecret)).status).toBe(200);
		expect((await send(`203.0.${place}.200`, own.clientId, own.clientSecret)).status).toBe(200);
	},
);

test("missing credentials do not count as guesses", async () => {
	const answer = await from("192.0.2.9");
	expect([answer.status, answer.headers.get("ratelimit")]).toEqual([401, null]);
	expect((await guess("192.0.2.9")).headers.get("ratelimit")).toStartWith('"failed-credentials";r=9999;');
});

test("an invalid bearer gets 401 and is not limited, so its sender fetches a new one", async () => {
	const sent = { "x-api-key": tenant.apiKey, authorization: "Bearer a.b.c" };
	const answer = await get(service, "/v1/reports/totals", { "x-forwarded-for": "192.0.2.10", ...sent });
	expect([answer.status, answer.headers.get("ratelimit-policy")]).toEqual([401, null]);
});
