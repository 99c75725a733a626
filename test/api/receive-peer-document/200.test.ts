/** What else a peer meets: `test/exchange/reception/hostile-documents.test.ts` has what is refused. */
import { expect, test } from "bun:test";
import { getPeerToken, motiveOf, sendToReceiver, signedEcf } from "../../support/peer";
import { createTenant, sharedService } from "../../support/service";
import { receivedBy } from "../support/received";

test("one document from many counterparties gets one answer, and so do repeats", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const token = await getPeerToken(service.url);
	const xml = signedEcf({ buyerRnc: tenant.rnc });
	const send = async () => (await sendToReceiver(service.url, xml, { token })).text();
	const answers = await Promise.all(Array.from({ length: 8 }, send));
	answers.push(await send());
	expect(new Set(answers).size).toBe(1);
	expect(motiveOf(answers[0] ?? "")).toBe(0);
	expect(answers[0]).toContain(`<RNCComprador>${tenant.rnc}</RNCComprador>`);
});

test("a document that was imported before is acknowledged too", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const token = await getPeerToken(service.url);
	const { xml } = await receivedBy(tenant);
	expect(motiveOf(await (await sendToReceiver(service.url, xml, { token })).text())).toBe(0);
	const encf = /<eNCF>(.*?)</.exec(xml)?.[1] ?? "";
	const other = signedEcf({ buyerRnc: tenant.rnc, encf, orderNumber: "OC-2" });
	expect(motiveOf(await (await sendToReceiver(service.url, other, { token })).text())).toBe(3);
});

test("letter case of the path, a query and unusual parts make no difference", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const token = await getPeerToken(service.url);
	const headers =
		"Content-Type: multipart/form-data;\r\nContent-Disposition: form-data; name=xml; filename=../../a.xml; filename*=utf-8''..%2Fa.xml";
	for (const path of ["/FE/Recepcion/Api/Ecf", "/fe/recepci%C3%B3n/api/ecf?v=1"]) {
		const xml = `\uFEFF${signedEcf({ buyerRnc: tenant.rnc, edit: (content) => content.replace("<Version>1.0", "<Version>1") })}`;
		const answer = await sendToReceiver(service.url, xml, { token, path, headers, accept: "application/json" });
		expect([path, answer.status, motiveOf(await answer.text())]).toEqual([path, 200, 0]);
	}
});
