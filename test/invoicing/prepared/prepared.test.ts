/** Prepared invoices: one caller prepares, another approves exactly what was prepared, and it becomes one document. */
import { beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { settlePrepared, sweepPrepared } from "../../../src/invoicing/prepared";
import { makeKey, withKey } from "../../api/support/api-keys";
import { expectProblem } from "../../api/support/problem";
import { createNumbered, postSequence } from "../../api/support/sequences";
import {
	buildInvoice,
	createTenant,
	get,
	getToken,
	post,
	sharedService,
	type Tenant,
	type TestService,
} from "../../support/service";

let service: TestService;
let tenant: Tenant;
/** May prepare and read, and not issue. */
let agent: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createNumbered(service);
	await postSequence(service, tenant, [1, 100]);
	agent = withKey(tenant, (await makeKey(service, tenant, { scopes: ["invoices:prepare", "invoices:read"] })).key);
});

const PATH = "/v1/prepared-invoices";
type Prepared = { id: string; sha256: string; status: string; docId: string | null; invoice: unknown } & Record<
	string,
	unknown
>;

const send = (body: unknown, by = agent, headers = {}) => post(service, PATH, { ...by.headers, ...headers }, body);
async function prepare(over: Record<string, unknown> = {}, by = agent): Promise<Prepared> {
	const answer = await send(buildInvoice(tenant, { encf: "auto", ...over }), by);
	expect(answer.status).toBe(201);
	return (await answer.json()) as Prepared;
}
const read = async (id: string) => (await (await get(service, `${PATH}/${id}`, agent.headers)).json()) as Prepared;
const approve = ({ id, sha256 }: Pick<Prepared, "id" | "sha256">, by = tenant, headers = {}) =>
	post(service, `${PATH}/${id}:approve`, { ...by.headers, ...headers }, { sha256 });
const reject = (id: string, body: unknown = {}, by = tenant) =>
	post(service, `${PATH}/${id}:reject`, { ...by.headers }, body);
const countDocuments = async () => {
	const [row] = await service.sql<{ count: number }[]>`
		select count(*)::int as count from documents where tenant_id = ${tenant.tenantId}`;
	return row?.count;
};

test("an invoice is prepared by one caller and issued by another", async () => {
	const before = await countDocuments();
	const prepared = await prepare();
	const invoice = { type: "31", encf: "auto", totals: { grand_total: "5310.00" } };
	expect(prepared).toMatchObject({ status: "waiting", docId: null, summary: { ...invoice, lines: 1 }, invoice });
	expect(prepared.validation).toMatchObject({ duplicateOf: null, warnings: [], totals: { total: "5310.00" } });
	expect(createHash("sha256").update(JSON.stringify(prepared.invoice)).digest("hex")).toBe(prepared.sha256);
	expect(await countDocuments()).toBe(before);
	const issued = await approve(prepared, tenant, { prefer: "wait=10" });
	expect(issued.status).toBe(202);
	const { docId, status } = (await issued.json()) as { docId: string; status: string };
	expect(status).toBe("accepted");
	expect(await read(prepared.id)).toMatchObject({ status: "issued", docId });
	await expectProblem(reject(prepared.id), 409, "prepared-invoice-decided");
});

test("without invoices:write nothing is issued", async () => {
	const prepared = await prepare();
	await expectProblem(approve(prepared, agent), 403, "insufficient-scope");
	expect(await read(prepared.id)).toMatchObject({ status: "waiting" });
});

test("only the digest of the stored body approves it", async () => {
	const [one, other] = [await prepare(), await prepare({ metadata: { order: "2" } })];
	await expectProblem(approve({ id: one.id, sha256: other.sha256 }), 422, "prepared-invoice-changed");
	await expectProblem(approve({ id: one.id, sha256: "ab" }), 400, "validation-error", ["/sha256 invalid-format"]);
	await service.sql`
		update prepared_invoices set body = replace(body, '5310.00', '9999.00')
		where tenant_id = ${tenant.tenantId} and id = ${one.id}`;
	await expectProblem(approve(one), 422, "prepared-invoice-changed");
	expect(await read(one.id)).toMatchObject({ status: "waiting" });
});

test("approvals at once and later make one document", async () => {
	const before = (await countDocuments()) ?? 0;
	const prepared = await prepare();
	const answers = await Promise.all(Array.from({ length: 5 }, () => approve(prepared)));
	expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 202]);
	const texts = await Promise.all(answers.map((answer) => answer.text()));
	expect(new Set(texts).size).toBe(1);
	expect(await (await approve(prepared)).text()).toBe(texts[0] ?? "");
	expect(await countDocuments()).toBe(before + 1);
});

test("of an approval and a rejection at once, one takes effect", async () => {
	for (let i = 0; i < 5; i++) {
		const before = (await countDocuments()) ?? 0;
		const prepared = await prepare();
		const [approved, rejected] = await Promise.all([approve(prepared), reject(prepared.id, { reason: "No" })]);
		const isIssued = approved.status === 202;
		expect([approved.status, rejected.status]).toEqual(isIssued ? [202, 409] : [409, 200]);
		expect(await read(prepared.id)).toMatchObject({ status: isIssued ? "issued" : "rejected" });
		expect(await countDocuments()).toBe(before + Number(isIssued));
	}
});

test("what is rejected, or older than a day, is not issued", async () => {
	const own = await createTenant(service);
	const rejected = await prepare({ company: { rnc: own.rnc, name: own.name }, encf: "E310000000077" }, own);
	const answer = await reject(rejected.id, { reason: "Precio equivocado" }, own);
	expect(await answer.json()).toMatchObject({ status: "rejected", reason: "Precio equivocado" });
	expect((await reject(rejected.id, "", own)).status).toBe(200);
	await expectProblem(approve(rejected, own), 409, "prepared-invoice-decided");
	const old = await prepare({ company: { rnc: own.rnc, name: own.name }, encf: "E310000000078" }, own);
	const late = await prepare({ company: { rnc: own.rnc, name: own.name }, encf: "E310000000079" }, own);
	expect((await approve(late, own)).status).toBe(202);
	expect((await post(service, "/v1/sandbox/clock", own.headers, { advance: "25h" })).status).toBe(200);
	const token = await getToken(service, own.clientId, own.clientSecret);
	const later = { ...own, headers: { ...own.headers, authorization: `Bearer ${token}` } };
	expect((await expectProblem(approve(old, later), 409, "prepared-invoice-decided")).preparedStatus).toBe("expired");
	const decided = await expectProblem(approve(late, later), 409, "prepared-invoice-decided");
	expect(decided).toMatchObject({ preparedStatus: "issued", docId: expect.any(String) });
});

test("a refused approval leaves the invoice waiting, to be approved later", async () => {
	const empty = await createNumbered(service);
	await postSequence(service, empty, [1, 1]);
	const of = { company: { rnc: empty.rnc, name: empty.name } };
	const [first, second] = [await prepare(of, empty), await prepare(of, empty)];
	expect((await approve(first, empty)).status).toBe(202);
	await expectProblem(approve(second, empty), 422, "sequence-exhausted");
	await postSequence(service, empty, [2, 2]);
	expect((await approve(second, empty)).status).toBe(202);
});

test("an invoice that cannot be issued is not prepared, and a dry run stores nothing", async () => {
	await expectProblem(send(buildInvoice(tenant, { totals: {} })), 400, "validation-error");
	const wrong = { subtotal: "4500.00", tax: "810.00", grand_total: "5310.01" };
	await expectProblem(send(buildInvoice(tenant, { totals: wrong })), 422, "mathematical-discrepancy");
	const listed = async () => (await (await get(service, PATH, agent.headers)).json()) as { items: { id: string }[] };
	const before = await listed();
	const rehearsed = await post(service, `${PATH}?dry_run=true`, { ...agent.headers }, buildInvoice(tenant));
	expect([rehearsed.status, await rehearsed.json()]).toMatchObject([200, { dryRun: true }]);
	expect(await listed()).toEqual(before);
});

test("a repeated key gets the first answer, and lists are filtered and paged", async () => {
	const own = await createTenant(service);
	const body = buildInvoice(own);
	const headers = { "idempotency-key": crypto.randomUUID() };
	const first = await send(body, own, headers);
	const again = await send(body, own, headers);
	expect([first.status, again.status]).toEqual([201, 200]);
	expect(await again.text()).toBe(await first.text());
	await send(buildInvoice(own), own);
	const list = async (query: string) => (await get(service, `${PATH}${query}`, own.headers)).json();
	expect(await list("?status=waiting&limit=1")).toMatchObject({ count: 1, partial: true });
	expect(await list("?status=issued")).toMatchObject({ count: 0 });
	await expectProblem(get(service, `${PATH}?status=lost`, own.headers), 400, "validation-error");
});

test("another company's prepared invoice does not exist", async () => {
	const prepared = await prepare();
	const stranger = await createTenant(service);
	await expectProblem(get(service, `${PATH}/${prepared.id}`, stranger.headers), 404, "not-found");
	await expectProblem(approve(prepared, stranger), 404, "not-found");
	await expectProblem(reject(prepared.id, {}, stranger), 404, "not-found");
	expect(await (await get(service, PATH, stranger.headers)).json()).toMatchObject({ count: 0 });
	await expectProblem(post(service, `${PATH}/${prepared.id}:delete`, tenant.headers, {}), 405, "method-not-allowed");
	expect(await read(prepared.id)).toMatchObject({ status: "waiting" });
});

test("a company has 200 waiting at most", async () => {
	const own = await createTenant(service);
	const { id } = await prepare({ company: { rnc: own.rnc, name: own.name }, encf: "E310000000099" }, own);
	await service.sql`
		insert into prepared_invoices (tenant_id, id, body, sha256, idempotency_key, summary, validation, expires_at)
		select tenant_id, gen_random_uuid(), body, sha256, gen_random_uuid(), summary, validation, expires_at
		from prepared_invoices, generate_series(2, 200) where tenant_id = ${own.tenantId}`;
	await expectProblem(send(buildInvoice(own), own), 409, "prepared-invoice-limit");
	expect((await reject(id, {}, own)).status).toBe(200);
	expect((await send(buildInvoice(own), own)).status).toBe(201);
});

test("decisions are audited, and a lost note of the document is found again", async () => {
	const prepared = await prepare();
	const { docId } = (await (await approve(prepared)).json()) as { docId: string };
	const audit = (await (await get(service, `/v1/audit?target=${prepared.id}`, tenant.headers)).json()) as {
		items: { action: string; actor: object }[];
	};
	expect(audit.items.map(({ action }) => action)).toEqual(["prepared-invoice.approve", "prepared-invoice.create"]);
	await service.sql`
		update prepared_invoices set doc_id = null, issued_at = null
		where tenant_id = ${tenant.tenantId} and id = ${prepared.id}`;
	expect(await settlePrepared(service.sql)).toBeGreaterThan(0);
	expect(await read(prepared.id)).toMatchObject({ status: "issued", docId });
});

test("each prepared invoice is an event of the company", async () => {
	const rows = await service.sql<{ body: string }[]>`
		select body::text as body from events where tenant_id = ${tenant.tenantId} and event = 'invoice.prepared' limit 1`;
	const { prepared } = JSON.parse(rows[0]?.body ?? "{}");
	expect(prepared).toMatchObject({ type: "31", total: "5310.00", customerRnc: "131880681" });
});

test("housekeeping deletes what is older than seven days", async () => {
	const { id } = await prepare();
	await service.sql`
		update prepared_invoices set created_at = created_at - interval '8 days'
		where tenant_id = ${tenant.tenantId} and id = ${id}`;
	expect(await sweepPrepared(service.sql)).toBeGreaterThan(0);
	await expectProblem(get(service, `${PATH}/${id}`, agent.headers), 404, "not-found");
});
