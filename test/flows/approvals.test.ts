/** Approvals between companies and other taxpayers' programs: the authority's test issuer and buyer, and two companies of one service. */
import { beforeAll, expect, test } from "bun:test";
import {
	control,
	decideOn,
	decisionsAtAuthority,
	readApproval,
	sell,
	untilSent,
	WAIT_MS,
} from "../exchange/approvals/support/words";
import { callerOf } from "../simulator/support/authority";
import { createTenant, get, sharedService, type TestService } from "../support/service";
import { until } from "../support/until";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
}, WAIT_MS);

async function order(action: string, body: object): Promise<Response> {
	const authority = callerOf(service.simulatorUrl);
	return authority.call(`/testecf/emisorreceptor/api/emision/${action}`, {
		...{ method: "POST", body: JSON.stringify(body), headers: await authority.bearer() },
	});
}

test(
	"a document from the authority's test issuer is approved to it and the authority",
	async () => {
		const buyer = await createTenant(service);
		const urls = { urlRecepcion: service.url, urlAutenticacion: service.url };
		const pushed = await order("emisioncomprobantes", { rnc: buyer.rnc, tipoEncf: "31", ...urls });
		const encf = /<eNCF>(.*?)</.exec(await pushed.text())?.[1] ?? "";
		const list = await get(service, "/v1/received-documents", buyer.headers);
		const [document] = ((await list.json()) as { items: { id: string; encf: string }[] }).items;
		expect(document?.encf).toBe(encf);
		const { approvalId } = await decideOn(service, buyer, document?.id ?? "");
		expect(await untilSent(service, buyer, approvalId)).toMatchObject({
			...{ status: "sent", delivery: { issuer: "sent", authority: "sent" } },
		});
		expect(await decisionsAtAuthority(service, encf)).toMatchObject([{ buyerRnc: buyer.rnc, state: 1 }]);
	},
	WAIT_MS,
);

test(
	"the test buyer's approval arrives unchanged, and a second one is refused",
	async () => {
		const seller = await createTenant(service);
		const sold = await sell(service, seller, "131880681");
		const say = (estadoAprobacion: number) =>
			order("envioaprobacioncomercial", {
				...{ urlAprobacionComercial: service.url, urlAutenticacion: service.url, rnc: seller.rnc, encf: sold.encf },
				estadoAprobacion,
			});
		const [first, again, other] = [await say(2), await say(2), await say(1)];
		expect([first.status, again.status, other.status]).toEqual([200, 200, 400]);
		expect(await other.text()).toContain("El emisor respondió 400.");
		const record = await get(service, `/v1/invoices/${sold.docId}`, seller.headers);
		expect(await record.json()).toMatchObject({ approval: { decision: "rejected", reason: "Prueba de rechazo" } });
	},
	WAIT_MS,
);

test(
	"a buyer and a seller of this service both see an approval",
	async () => {
		const [seller, buyer] = await Promise.all([createTenant(service), createTenant(service)]);
		const urls = { receptionUrl: service.url, approvalUrl: service.url, authenticationUrl: service.url };
		for (const { rnc, name } of [seller, buyer]) {
			await control(service, "directory", { environment: "testecf", rnc, name, ...urls });
		}
		const sold = await sell(service, seller, buyer.rnc);
		type Received = { items: { id: string; encf: string; approval: unknown }[] };
		const received = async () =>
			((await (await get(service, "/v1/received-documents", buyer.headers)).json()) as Received).items[0];
		await until(async () => (await received())?.encf === sold.encf, WAIT_MS);
		const word = { decision: "rejected", reason: "Precio distinto de la orden" };
		const { approvalId } = await decideOn(service, buyer, (await received())?.id ?? "", word);
		const shown = async () =>
			(await (await get(service, `/v1/invoices/${sold.docId}`, seller.headers)).json()) as { approval: unknown };
		await until(async () => (await shown()).approval !== null, WAIT_MS);
		expect(await shown()).toMatchObject({ approval: word });
		expect(await untilSent(service, buyer, approvalId)).toMatchObject({ status: "sent" });
		const incoming = await get(service, `/v1/approvals?direction=in&docId=${sold.docId}`, seller.headers);
		expect(await incoming.json()).toMatchObject({ items: [{ ...word, direction: "in", buyerRnc: buyer.rnc }] });
		expect(await readApproval(service, buyer, approvalId)).toMatchObject({ ...word, direction: "out" });
		expect(await received()).toMatchObject({ approval: { approvalId, decision: "rejected", status: "sent" } });
		for (const { headers } of [seller, buyer]) {
			const archived = async () =>
				(await (await get(service, "/v1/archive?status=approval", headers)).json()) as { items: unknown[] };
			await until(async () => (await archived()).items.length === 1, WAIT_MS);
			expect(await archived()).toMatchObject({ items: [{ encf: sold.encf, type: "31", status: "approval" }] });
		}
	},
	WAIT_MS,
);
