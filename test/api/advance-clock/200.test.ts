/** What a tenant's test clock moves on, and what it leaves alone. */
import { beforeAll, expect, test } from "bun:test";
import {
	buildInvoice,
	createTenant,
	get,
	getToken,
	post,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
	untilDecided,
} from "../../support/service";
import { until } from "../../support/until";
import { createNumbered, encfOf, postSequence } from "../support/sequences";
import { createWebhook } from "../support/webhooks";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

async function advance(by: string, who = tenant): Promise<Record<string, unknown>> {
	const answer = await post(service, "/v1/sandbox/clock", who.headers, { advance: by });
	const body = (await answer.json()) as Record<string, unknown>;
	expect({ status: answer.status, body }).toMatchObject({ status: 200 });
	return body;
}

/** The tenant with a token that the clock has not ended. */
async function renewed(who: Tenant): Promise<Tenant> {
	const token = await getToken(service, who.clientId, who.clientSecret);
	return { ...who, token, headers: { ...who.headers, authorization: `Bearer ${token}` } };
}

test("the answer has the total offset of the clock", async () => {
	const own = await createTenant(service);
	expect(await advance("90s", own)).toMatchObject({ advancedSeconds: 90, aheadSeconds: 90 });
	const second = await advance("2m", own);
	expect(second).toMatchObject({ advancedSeconds: 120, aheadSeconds: 210 });
	const aheadMs = Date.parse(String(second.now)) - Date.now();
	expect(Math.round(aheadMs / 60_000)).toBeGreaterThanOrEqual(3);
});

test("a repeat of an idempotency key gets the first answer again, and the clock stays", async () => {
	const own = await createTenant(service);
	const headers = { ...own.headers, "idempotency-key": crypto.randomUUID() };
	const first = await post(service, "/v1/sandbox/clock", headers, { advance: "25m" });
	const repeat = await post(service, "/v1/sandbox/clock", headers, { advance: "25m" });
	expect([repeat.status, repeat.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
	expect(await repeat.text()).toBe(await first.text());
	expect(await advance("1m", own)).toMatchObject({ aheadSeconds: 26 * 60 });
});

test("equal concurrent requests move the clock once, even beyond the key's lifetime", async () => {
	const own = await createTenant(service);
	const headers = { ...own.headers, "idempotency-key": crypto.randomUUID() };
	const move = () => post(service, "/v1/sandbox/clock", headers, { advance: "25h" });
	const both = await service.sql.begin(async (tx) => {
		await tx`select 1 from companies where tenant_id = ${own.tenantId} for update`;
		const moving = [move(), move()];
		await until(async () => {
			const [row] = await service.sql`
				select count(*)::int as waiting from pg_stat_activity
				where datname = current_database() and wait_event_type = 'Lock' and query like '%clock_ahead_seconds + %'`;
			return row?.waiting >= 2;
		});
		return [...moving];
	});
	const texts = await Promise.all((await Promise.all(both)).map((answer) => answer.text()));
	expect(texts[1]).toBe(String(texts[0]));
	expect(await advance("1m", await renewed(own))).toMatchObject({ aheadSeconds: 25 * 3_600 + 60 });
});

test("an idempotency key expires after 24 hours; number and client id still protect", async () => {
	const own = await createTenant(service);
	const invoice = buildInvoice(own, { client_request_id: "clock-0001" });
	const key = { "idempotency-key": crypto.randomUUID() };
	expect((await postInvoice(service, own, invoice, key)).status).toBe(202);
	const repeat = await postInvoice(service, own, invoice, key);
	expect(repeat.headers.get("x-duplicate-of")).toBeNull();
	expect(repeat.status).toBe(200);
	await advance("25h", own);
	const late = await postInvoice(service, await renewed(own), invoice, key);
	expect(late.status).toBe(200);
	expect(late.headers.get("x-duplicate-of")).toContain("by=client_request_id");
});

test("tokens expire as if the time had passed, except for other tenants", async () => {
	const own = await createTenant(service);
	const other = await createTenant(service);
	const status = (who: Tenant) => get(service, "/v1/invoices?limit=1", who.headers).then(({ status: is }) => is);
	const body = { grant_type: "client_credentials", client_id: own.clientId, client_secret: own.clientSecret };
	const issued = await post(service, "/v1/auth/token", {}, body);
	const { refresh_token: refresh } = (await issued.json()) as { refresh_token: string };
	await advance("50m", own);
	expect(await status(own)).toBe(200);
	await advance("11m", own);
	await until(async () => (await status(own)) === 401);
	expect(await status(other)).toBe(200);
	const again = await renewed(own);
	expect(await status(again)).toBe(200);
	await advance("30d", again);
	const refreshed = await post(service, "/v1/auth/token", {}, { grant_type: "refresh_token", refresh_token: refresh });
	expect(refreshed.status).toBe(401);
});

test("a document that the authority does not decide fails after 72 hours", async () => {
	const own = await createTenant(service);
	const scenario = { "x-sandbox-scenario": JSON.stringify({ scenario: "accept", after: "600s" }) };
	const posted = await postInvoice(service, own, buildInvoice(own), scenario);
	const { docId } = (await posted.json()) as { docId: string };
	await advance("71h", own);
	const again = await renewed(own);
	const before = await get(service, `/v1/invoices/${docId}/status`, again.headers);
	expect(await before.json()).toMatchObject({ status: "pending" });
	await advance("2h", again);
	expect(await untilDecided(service, await renewed(own), docId, 30_000)).toMatchObject({
		status: "failed",
		failure: { code: "authority-timeout-72h" },
	});
}, 60_000);

test("a certificate reaches its end, and its company can no longer issue", async () => {
	const own = await createTenant(service);
	expect((await postInvoice(service, own, buildInvoice(own))).status).toBe(202);
	await advance("1000d", own);
	const answer = await postInvoice(service, await renewed(own), buildInvoice(own));
	expect(answer.status).toBe(422);
	expect(await answer.json()).toMatchObject({ missing: ["certificate"] });
});

test("a sequence expires by the tenant's day, which its documents do not show", async () => {
	const own = await createNumbered(service);
	const today = new Date(Date.now() - 4 * 3_600_000).toISOString().slice(0, 10);
	expect((await postSequence(service, own, [1, 5], { expiresAt: today })).status).toBe(201);
	const auto = (who: Tenant) => postInvoice(service, who, buildInvoice(who, { encf: "auto" }));
	expect((await auto(own)).status).toBe(202);
	await advance("24h", own);
	const again = await renewed(own);
	expect((await auto(again)).status).toBe(422);
	const list = await get(service, "/v1/sequences", again.headers);
	expect(await list.json()).toMatchObject({ items: [{ expiresAt: today, status: "expired" }] });
});

test("midnight follows the tenant's clock for ranges and caller-numbered documents", async () => {
	const own = await createTenant(service, { company: { settings: { sequenceMode: "service" } } });
	const localMs = Date.now() - 4 * 3_600_000;
	const today = new Date(localMs).toISOString().slice(0, 10);
	expect((await postSequence(service, own, [1, 5], { expiresAt: today })).status).toBe(201);
	const issue = async (who: Tenant, encf: string) => {
		const answer = await postInvoice(service, who, buildInvoice(who, { encf }));
		const { warnings = [] } = (await answer.json()) as { warnings?: { code: string }[] };
		return [answer.status, warnings.filter(({ code }) => code === "sequence-expired").length];
	};
	expect(await issue(own, encfOf(5))).toEqual([202, 0]);
	const untilMidnight = Math.ceil((86_400_000 - (localMs % 86_400_000)) / 1_000);
	await advance(`${untilMidnight}s`, own);
	const again = await renewed(own);
	expect(await issue(again, "auto")).toEqual([422, 0]);
	expect(await issue(again, encfOf(4))).toEqual([202, 1]);
	const list = await get(service, "/v1/sequences", again.headers);
	expect(await list.json()).toMatchObject({ items: [{ status: "expired", next: null }] });

	const late = await postSequence(service, again, [6, 9], { expiresAt: today });
	expect([late.status, await late.json()]).toMatchObject([
		400,
		{ errors: [{ code: "expired", pointer: "/expiresAt" }] },
	]);
	expect((await postSequence(service, again, [6, 9])).status).toBe(201);
	expect(await issue(again, "auto")).toEqual([202, 0]);
});

test("the next probe of a webhook is due sooner, but not in the past", async () => {
	const own = await createTenant(service);
	const { id } = await createWebhook(service, own);
	const seconds = async () => {
		const [row] = await service.sql`
			select extract(epoch from probe_next_at - now())::float8 as "left" from webhook_endpoints where id = ${id}`;
		return Number(row?.left);
	};
	await service.sql`
		update webhook_endpoints set probe_id = gen_random_uuid(), probe_failures = 3, probe_passes = 0,
			probe_next_at = now() + interval '1 hour'
		where id = ${id}`;
	await advance("10m", own);
	expect(await seconds()).toBeLessThanOrEqual(3_000);
	await advance("55m", own);
	expect(await seconds()).toBeLessThanOrEqual(0);
});

test("retries of deliveries become due", async () => {
	const own = await createTenant(service, { webhook: true });
	const { docId } = (await (await postInvoice(service, own, buildInvoice(own))).json()) as { docId: string };
	await untilDecided(service, own, docId);
	const waiting = crypto.randomUUID();
	await service.sql`
		insert into outbox (id, kind, tenant_id, subject, available_at)
		values (${waiting}, 'test.nothing', ${own.tenantId}, ${docId}, now() + interval '256 seconds')`;
	await advance("5m", own);
	const [row] = await service.sql`
		delete from outbox where id = ${waiting}
		returning available_at <= now() as "isDue", available_at > now() - interval '1 minute' as "isDueSinceNow"`;
	expect(row).toMatchObject({ isDue: true, isDueSinceNow: true });
});
