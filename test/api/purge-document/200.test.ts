/** Erasure over HTTP: afterwards the number is answered like one that never existed. */
import { beforeAll, expect, test } from "bun:test";
import { get, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { takeActiveCompany } from "../support/companies";
import { expectProblem } from "../support/problem";
import { createOfficer, orderPurge, PURGE_REQUEST } from "../support/purges";
import { instant, uuid } from "../support/tenants";

let service: TestService;
/** A key that may erase. */
let officer: Tenant;
beforeAll(async () => {
	service = await sharedService();
	officer = await createOfficer(service);
});

const purge = (document: string, body?: unknown, headers?: Readonly<Record<string, string>>) =>
	orderPurge(service, officer, document, body, headers);
const lookUp = (document: string) =>
	get(service, `/v1/authority/document/${document}`, { "x-api-key": officer.apiKey });

/** Everything that distinguishes an answer, except for the request's id and time. */
async function fingerprint(answer: Response): Promise<string> {
	const body = (await answer.text()).replaceAll(answer.headers.get("x-request-id") ?? "", "id");
	const headers = [...answer.headers].filter(([name]) => name !== "date" && name !== "x-request-id").sort();
	return JSON.stringify([answer.status, headers, body]);
}

test("the answer and its record, after which the entry is gone", async () => {
	const { rnc } = await takeActiveCompany();
	expect((await lookUp(rnc)).status).toBe(200);
	const answer = await purge(rnc);
	expect(answer.status).toBe(200);
	expect(answer.headers.get("cache-control")).toBe("no-store");
	const body = (await answer.json()) as { purge_id: string };
	expect(body).toEqual({
		...{ purge_id: expect.stringMatching(uuid), document: `*****${rnc.slice(-4)}`, status: "purged" },
		...{ purged_at: expect.stringMatching(instant), legal_basis: PURGE_REQUEST.legal_basis, tombstone: true },
		request_reference: PURGE_REQUEST.request_reference,
		effects: { memory_index: true, database: true, history: true, change_feed: true, snapshots: "next-run" },
		cached_copies_expire_at: expect.stringMatching(instant),
		receipt: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
		_links: { self: `/v1/authority/purges/${body.purge_id}` },
	} as never);

	const gone = (await fingerprint(await lookUp(rnc))).replaceAll(rnc, "n");
	expect(gone).toBe((await fingerprint(await lookUp("999999999"))).replaceAll("999999999", "n"));
	const found = await get(service, `/v1/authority/document:search?q=${rnc}&field=document`, officer.headers);
	expect(await found.json()).toMatchObject({ items: [], count: 0 });

	const record = await get(service, `/v1/authority/purges/${body.purge_id}`, { "x-api-key": officer.apiKey });
	const text = await record.text();
	expect(JSON.parse(text)).toMatchObject({ purge_id: body.purge_id, status: "purged", retained: expect.anything() });
	expect(text).not.toContain(rnc);
});

test("a second erasure and one of an unknown number reveal nothing", async () => {
	const { rnc } = await takeActiveCompany();
	const first = (await (await purge(rnc)).json()) as Record<string, unknown>;
	const again = (await (await purge(rnc)).json()) as Record<string, unknown>;
	expect(again).toEqual({ ...first, receipt: again.receipt });
	const never = (await (await purge("888888888")).json()) as Record<string, unknown>;
	expect(Object.keys(never)).toEqual(Object.keys(first));
	expect(never).toMatchObject({ status: "purged", tombstone: true, effects: first.effects });
});

test("%3Apurge is :purge; a POST without it erases nothing", async () => {
	const { rnc } = await takeActiveCompany();
	for (const path of [
		`/v1/authority/document/${rnc}`,
		`/v1/authority/document/${rnc}:`,
		`/v1/authority/document/${rnc}:purg`,
	]) {
		const problem = await expectProblem(post(service, path, officer.headers, PURGE_REQUEST), 405, "method-not-allowed");
		expect(problem.instance).toBe(path);
	}
	for (const path of [
		`/v1/authority/document/${rnc}:purge/`,
		`/v1/authority/document:purge`,
		`/v1/authority/${rnc}:purge`,
	]) {
		expect([404, 405]).toContain((await post(service, path, officer.headers, PURGE_REQUEST)).status);
	}
	expect((await lookUp(rnc)).status).toBe(200);
	const answer = await post(service, `/v1/authority/document/${rnc}%3Apurge`, officer.headers, PURGE_REQUEST);
	expect(answer.status).toBe(200);
	expect((await lookUp(rnc)).status).toBe(404);
});

test("a repeated key gets the first answer, erases nothing and stores no number", async () => {
	const { rnc } = await takeActiveCompany();
	const key = crypto.randomUUID();
	const send = (document: string) =>
		purge(document, PURGE_REQUEST, { ...officer.headers, "idempotency-key": key.toUpperCase() });
	const first = await send(rnc);
	expect([first.status, first.headers.get("idempotency-replayed")]).toEqual([200, null]);
	const text = await first.text();
	const { purge_id } = JSON.parse(text) as { purge_id: string };
	const withHyphens = `${rnc.slice(0, 1)}-${rnc.slice(1, 3)}-${rnc.slice(3, 8)}-${rnc.slice(8)}`;
	for (const document of [rnc, withHyphens]) {
		const repeat = await send(document);
		expect([repeat.status, repeat.headers.get("idempotency-replayed"), await repeat.text()]).toEqual([
			200,
			"true",
			text,
		]);
		expect(repeat.headers.get("cache-control")).toBe("no-store");
	}
	const [audit] = await service.sql`
		select count(*)::int as times from audit where action = 'registry.purge' and subject = ${purge_id}`;
	expect(audit).toEqual({ times: 1 });
	const rows = await service.sql`select k::text as text from request_keys k where key = ${key}`;
	expect(rows).toHaveLength(1);
	expect(rows[0]?.text).not.toContain(rnc);
	// For another number the key is another one, as for any other path.
	const other = await send("888888887");
	expect([other.status, other.headers.get("idempotency-replayed")]).toEqual([200, null]);
});

test("equal concurrent requests erase once", async () => {
	const { rnc } = await takeActiveCompany();
	const headers = { ...officer.headers, "idempotency-key": crypto.randomUUID() };
	const answers = await Promise.all([1, 2, 3, 4].map(() => purge(rnc, PURGE_REQUEST, headers)));
	expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
	expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
	expect(answers.filter((answer) => answer.headers.get("idempotency-replayed") === null)).toHaveLength(1);
});
