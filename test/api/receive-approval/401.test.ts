import { expect, test } from "bun:test";
import { identities } from "../../../scripts/attacks/identities";
import { sendAcecf, signedAcecf } from "../../exchange/approvals/support/peers";
import { sell, WAIT_MS } from "../../exchange/approvals/support/words";
import { getPeerToken } from "../../support/peer";
import { createTenant, get, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";

test(
	"an approval needs a token of its signer",
	async () => {
		const service = await sharedService();
		const seller = await createTenant(service);
		const sold = await sell(service, seller, "131880681");
		const xml = signedAcecf(sold);
		await expectProblem(sendAcecf(service, xml, { token: undefined }), 401, "unauthorised");
		await expectProblem(sendAcecf(service, xml, { token: seller.token }), 401, "unauthorised");
		const token = await getPeerToken(service.url, identities.otherGood);
		await expectProblem(sendAcecf(service, xml, { token }), 401, "unauthorised");
		const list = await get(service, "/v1/approvals", seller.headers);
		expect(await list.json()).toMatchObject({ count: 0 });
	},
	WAIT_MS,
);
