/** What determines an answer besides the document: the buyer, its certificate, and what is stored. */
import { beforeAll, expect, test } from "bun:test";
import { certifyPerson } from "../../../scripts/attacks/identities";
import { getPeerToken, motiveOf, nextEncf, sendToReceiver, signedEcf, signedSeed, TOKEN } from "../../support/peer";
import { createTenant, get, sharedService, type TestService } from "../../support/service";
import { until } from "../../support/until";

let service: TestService;
let token: string;
beforeAll(async () => {
	service = await sharedService();
	token = await getPeerToken(service.url);
}, 120_000);

const send = async (xml: string) => (await sendToReceiver(service.url, xml, { token })).text();

test("a closed company receives nothing and signs nothing", async () => {
	const tenant = await createTenant(service);
	await service.sql`update companies set status = 'closed' where tenant_id = ${tenant.tenantId}`;
	const arecf = await send(signedEcf({ buyerRnc: tenant.rnc }));
	expect([motiveOf(arecf), arecf.includes("<Signature")]).toEqual([4, false]);
});

test("a sender that lost its answer gets it again after the company has closed", async () => {
	const tenant = await createTenant(service);
	const xml = signedEcf({ buyerRnc: tenant.rnc });
	const first = await send(xml);
	expect(motiveOf(first)).toBe(0);
	await service.sql`update companies set status = 'closed' where tenant_id = ${tenant.tenantId}`;
	expect(await send(xml)).toBe(first);
	const changed = await send(xml.replace("Cemento", "Arena"));
	expect([motiveOf(changed), changed.includes("<Signature")]).toEqual([2, false]);
});

test("what its sender indented after signing is received, and kept as it came", async () => {
	const indent = (xml: string) => xml.replaceAll("><", ">\r\n  <");
	const tenant = await createTenant(service);
	const seed = indent(await signedSeed(service.url));
	const { token: peerToken } = (await (await sendToReceiver(service.url, seed, { path: TOKEN })).json()) as {
		token: string;
	};
	const xml = indent(signedEcf({ buyerRnc: tenant.rnc }));
	const arecf = await (await sendToReceiver(service.url, xml, { token: peerToken })).text();
	expect([motiveOf(arecf), arecf.includes("<Estado>0</Estado>")]).toEqual([0, true]);
	const list = await get(service, "/v1/received-documents", tenant.headers);
	const { items } = (await list.json()) as { items: { id: string; totals: unknown }[] };
	expect(items).toMatchObject([{ totals: { subtotal: "1000.00", tax: "180.00", grand_total: "1180.00" } }]);
	const kept = await get(service, `/v1/received-documents/${items[0]?.id}/xml`, tenant.headers);
	expect(await kept.text()).toBe(xml);
});

test("without a valid certificate genuine documents are deferred and refusals unsigned", async () => {
	const tenant = await createTenant(service);
	await service.owner`update signing_certificates set not_after = now() - interval '1 hour' where tenant_id = ${tenant.tenantId}`;
	const xml = signedEcf({ buyerRnc: tenant.rnc });
	const bad = await send(xml.replace("Cemento", "Arena"));
	expect([motiveOf(bad), bad.includes("<Signature")]).toEqual([2, false]);
	const body = `--b\r\nContent-Disposition: form-data; name=xml\r\n\r\n${xml}\r\n--b--\r\n`;
	const headers = { "content-type": "multipart/form-data; boundary=b", authorization: `Bearer ${token}` };
	await until(async () => {
		const answer = await fetch(`${service.url}/fe/recepcion/api/ecf`, { method: "POST", body, headers });
		return answer.status === 503 && answer.headers.get("retry-after") === "3600";
	}, 120_000);
	expect(await service.sql`select 1 from received_documents where tenant_id = ${tenant.tenantId}`).toHaveLength(0);
});

test("a signer with a forged serial number in its name is not mistaken for its owner", async () => {
	const tenant = await createTenant(service);
	const identity = await certifyPerson("00100000058", "EVA, SERIALNUMBER=IDCDO-00100000009");
	const encf = nextEncf();
	const evas = signedEcf({ buyerRnc: tenant.rnc, encf, identity });
	const evasToken = await getPeerToken(service.url, identity);
	expect(motiveOf(await (await sendToReceiver(service.url, evas, { token: evasToken })).text())).toBe(0);
	expect(motiveOf(await send(signedEcf({ buyerRnc: tenant.rnc, encf, orderNumber: "OC-1" })))).toBe(0);
	const { items } = (await (await get(service, "/v1/received-documents", tenant.headers)).json()) as {
		items: { signature: { signer: string } }[];
	};
	expect(items.map(({ signature }) => signature.signer)).toEqual(["IDCDO-00100000009", "IDCDO-00100000058"]);
});

test("a received document is immutable and archived with its acknowledgement", async () => {
	const tenant = await createTenant(service);
	const xml = signedEcf({ buyerRnc: tenant.rnc });
	const arecf = await send(xml);
	await expect(
		service.owner`update received_documents set signer = 'x' where tenant_id = ${tenant.tenantId}`,
	).rejects.toThrow("written once");
	let archived: { encf: string; type: string; status: string; years: number } | undefined;
	await until(async () => {
		[archived] = await service.sql<{ encf: string; type: string; status: string; years: number }[]>`
			select encf, type, status, extract(year from age(retain_until, decided_at))::int as years
			from seals where tenant_id = ${tenant.tenantId}`;
		return archived !== undefined;
	}, 120_000);
	expect(archived).toEqual({ encf: /<eNCF>(.*?)</.exec(xml)?.[1] ?? "", type: "31", status: "received", years: 10 });
	expect(motiveOf(arecf)).toBe(0);
});
