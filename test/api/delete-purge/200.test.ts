/** Reversal of an erasure over HTTP: two keys, one record, no number. */
import { beforeAll, expect, test } from "bun:test";
import { sharedService, type Tenant, type TestService } from "../../support/service";
import { until } from "../../support/until";
import { takeActiveCompany } from "../support/companies";
import { askPurge, createOfficer, PURGE_REQUEST, type PurgeAnswer, purgeAs } from "../support/purges";
import { instant, uuid } from "../support/tenants";

let service: TestService;
let officer: Tenant;
let first: string;
let second: string;
beforeAll(async () => {
	service = await sharedService();
	officer = await createOfficer(service);
	first = await service.createKey({ scopes: ["admin"] });
	second = await service.createKey({ scopes: ["admin", "registry:read"] });
});

const purge = (document: string) => purgeAs(service, officer, document);
const ask = (method: string, id: string, headers: Record<string, string>) => askPurge(service, method, id, headers);
const reverse = (id: string, key: string) => ask("DELETE", id, { "x-api-key": key });

test("the first key always gets 202, a second one 200, and then everyone gets 200", async () => {
	const { rnc } = await takeActiveCompany();
	const { purge_id } = await purge(rnc);
	// Waits until the files are cleared, because the record would otherwise change between two compared answers.
	await until(async () => {
		const record = (await (await ask("GET", purge_id, { "x-api-key": second })).json()) as PurgeAnswer;
		return (record.effects as { snapshots: string }).snapshots === "cleared";
	});
	let proposal: unknown;
	for (let i = 0; i < 3; i++) {
		const answer = await reverse(purge_id, first);
		expect([answer.status, answer.headers.get("cache-control")]).toEqual([202, "no-store"]);
		const body = (await answer.json()) as { reversal: unknown };
		proposal ??= body.reversal;
		expect(body).toMatchObject({
			purge_id,
			status: "reversal-proposed",
			tombstone: true,
			reversal: proposal as object,
		});
	}
	expect(proposal).toEqual({
		proposed_at: expect.stringMatching(instant),
		expires_at: expect.stringMatching(instant),
	} as never);
	const answer = await reverse(purge_id, second);
	expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
	const text = await answer.text();
	expect(JSON.parse(text)).toMatchObject({
		...{ purge_id, status: "reversed", tombstone: false, legal_basis: PURGE_REQUEST.legal_basis },
		reversal: { reversed_at: expect.stringMatching(instant) },
		retained: { issued_invoices: expect.stringContaining("10 years") },
	});
	expect(text).not.toContain(rnc);
	// Its last digits follow asterisks; an id may contain the digits alone by chance.
	expect(text).not.toMatch(/\*\d/);
	for (const key of [first, second]) {
		const again = await reverse(purge_id, key);
		expect([again.status, await again.text()]).toEqual([200, text]);
	}
	expect(await (await ask("GET", purge_id, { "x-api-key": second })).text()).toBe(text);
	// Until the next ingest.
	const lookUp = await fetch(`${service.url}/v1/authority/document/${rnc}`, { headers: { "x-api-key": second } });
	expect(lookUp.status).toBe(404);
});

test("a new erasure withdraws the proposal", async () => {
	const { rnc } = await takeActiveCompany();
	const { purge_id } = await purge(rnc);
	expect((await reverse(purge_id, first)).status).toBe(202);
	expect((await purge(rnc)).purge_id).toBe(purge_id);
	const record = (await (await ask("GET", purge_id, { "x-api-key": second })).json()) as PurgeAnswer;
	expect(record).toMatchObject({ status: "purged", tombstone: true });
	expect(record.reversal).toBeUndefined();
	expect((await reverse(purge_id, second)).status).toBe(202);
});

test("the audit log has every step with key, company, address, request; no number", async () => {
	const { rnc } = await takeActiveCompany();
	const { purge_id } = await purge(rnc);
	await reverse(purge_id, first);
	await reverse(purge_id, second);
	const rows = await service.sql`select *, a::text as whole from audit a where subject = ${purge_id} order by id`;
	expect(rows.map(({ action }) => action)).toEqual([
		"registry.purge",
		"registry.propose-reversal",
		"registry.reverse-purge",
	]);
	for (const row of rows) {
		expect(row.key_id).toMatch(uuid);
		expect(row.owner_id).toMatch(uuid);
		expect(row.request_id).toMatch(uuid);
		expect(row.address).toContain("127.0.0.1");
		expect(row.whole).not.toContain(rnc);
	}
	expect(rows[0]?.tenant_id).toBe(officer.tenantId);
	expect(rows[0]?.details).toEqual(PURGE_REQUEST);
	expect(rows[1]?.key_id).not.toBe(rows[2]?.key_id);
	expect(rows[2]?.details).toEqual({ proposed_by: rows[1]?.key_id });
});
