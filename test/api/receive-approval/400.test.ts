import { beforeAll, expect, test } from "bun:test";
import { type Said, sendAcecf, signedAcecf } from "../../exchange/approvals/support/peers";
import { type Sold, sell, WAIT_MS } from "../../exchange/approvals/support/words";
import { buildInvoice, createTenant, postInvoice, sharedService, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

const BUYER = "131880681";

let service: TestService;
let sold: Sold;
let consumers: Sold;
let rejected: Sold;
beforeAll(async () => {
	service = await sharedService();
	const seller = await createTenant(service);
	sold = await sell(service, seller, BUYER);
	consumers = await sell(service, seller, BUYER, { type: "32" });
	const invoice = buildInvoice(seller, { customer: { rnc: "000000002", name: "CLIENTE SRL" } });
	const made = (await (await postInvoice(service, seller, invoice)).json()) as { docId: string; encf: string };
	rejected = { ...sold, buyerRnc: "000000002", ...made };
}, WAIT_MS);

const refused = (of: Partial<Sold>, said: Said, code: string) =>
	expectProblem(sendAcecf(service, signedAcecf({ ...sold, ...of }, said)), 400, "validation-error", [`/xml ${code}`]);

test("an approval without an accepted document is refused with one message", async () => {
	const details = [
		await refused({ issuerRnc: "999999999" }, {}, "document"),
		await refused({ encf: "E310999999999" }, {}, "document"),
		await refused({ buyerRnc: "101010101" }, {}, "document"),
		await refused({ total: "5310.01" }, {}, "document"),
		await refused({ issueDate: "2026-01-01" }, {}, "document"),
		await refused(consumers, {}, "document"),
		await refused(rejected, {}, "document"),
	].map(({ detail }) => detail);
	expect(new Set(details).size).toBe(1);
}, 120_000);

test("an invalid approval is refused", async () => {
	const edit = (from: string | RegExp, to: string) => ({ edit: (text: string) => text.replace(from, to) });
	await refused({}, edit("<Estado>1<", "<Estado>3<"), "specification");
	await refused({}, edit("<Estado>1<", "<Estado>2<"), "specification");
	await refused({}, { state: "2", reason: "x".repeat(251) }, "specification");
	await refused({}, edit(/<MontoTotal>[^<]*/, "<MontoTotal>-1"), "specification");
	const moment = "<FechaHoraAprobacionComercial>";
	await refused({}, edit(/<FechaHoraAprobacionComercial>[^<]*/, `${moment}31-12-9999 23:59:59`), "specification");
	await expectProblem(sendAcecf(service, "no XML"), 400, "validation-error", ["/xml signature"]);
}, 120_000);

test("a closed company accepts nothing new; replays are still answered", async () => {
	const seller = await createTenant(service);
	const [decided, undecided] = [await sell(service, seller, BUYER), await sell(service, seller, BUYER)];
	expect((await sendAcecf(service, signedAcecf(decided))).status).toBe(200);
	await service.sql`update companies set status = 'closed' where tenant_id = ${seller.tenantId}`;
	const { detail } = await refused(undecided, {}, "document");
	expect([detail, detail]).toEqual([
		(await refused(decided, { state: "2" }, "document")).detail,
		(await refused({ encf: "E310999999999" }, {}, "document")).detail,
	]);
	expect((await sendAcecf(service, signedAcecf(decided))).status).toBe(200);
	const rows = await service.sql`select 1 from approvals where tenant_id = ${seller.tenantId}`;
	expect(rows).toHaveLength(1);
}, 120_000);
