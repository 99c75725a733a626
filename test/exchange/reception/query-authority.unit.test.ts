/** The authority's state of a supplier's document that it had judged before the document arrived. */
import { expect, test } from "bun:test";
import { inProcessSeconds } from "../../../src/exchange/reception/handlers";
import { postReceived, type ReceivedBody } from "../../api/support/received";
import { callerOf } from "../../simulator/support/authority";
import { signedEcf } from "../../support/peer";
import { createTenant, get, sharedService } from "../../support/service";
import { until } from "../../support/until";

const TIMEOUT_MS = 120_000;

test(
	"a document that the authority has rejected is shown and listed as rejected",
	async () => {
		const service = await sharedService();
		const tenant = await createTenant(service);
		const xml = signedEcf({ buyerRnc: tenant.rnc });
		const sent = await callerOf(service.simulatorUrl).send(xml, "main", { "x-sandbox-scenario": "reject" });
		expect(await sent.json()).toMatchObject({ trackId: expect.any(String) });
		const { id } = (await (await postReceived(tenant, xml)).json()) as ReceivedBody;
		const list = async () => (await get(service, "/v1/received-documents?status=rejected", tenant.headers)).json();
		await until(async () => ((await list()) as { count: number }).count === 1, TIMEOUT_MS);
		expect(await list()).toMatchObject({ items: [{ id, authorityStatus: "rejected" }] });
	},
	TIMEOUT_MS,
);

test("an undecided document is queried soon at first, then less often", () => {
	expect([0, 10, 50, 100, 3_600, 86_400].map(inProcessSeconds)).toEqual([5, 5, 5, 10, 360, 3_600]);
});
