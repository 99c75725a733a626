import { expect, test } from "bun:test";
import { get, sharedService } from "../../support/service";
import { documentOf } from "../support/documents";
import { tenantA, tenantB, UNKNOWN_ID } from "../support/tenants";

test("the kind of draft is required and must fit the document", async () => {
	const [service, tenant] = [await sharedService(), await tenantA()];
	const { docId } = await documentOf("accepted");
	const read = async (query: string) => {
		const answer = await get(service, `/v1/invoices/${docId}/draft${query}`, tenant.headers);
		const { errors } = (await answer.json()) as { errors: { pointer: string; code: string }[] };
		return [answer.status, errors.map(({ pointer, code }) => `${pointer} ${code}`)];
	};
	expect(await read("")).toEqual([400, ["#/query/as required"]]);
	expect(await read("?as=refund")).toEqual([400, [expect.stringContaining("#/query/as ")]]);
	expect(await read("?as=reissue")).toEqual([400, ["#/query/as not-rejected"]]);
});

test("another tenant's document is as absent as an unknown one", async () => {
	const [service, other] = [await sharedService(), await tenantB()];
	const { docId } = await documentOf("accepted");
	for (const id of [docId, UNKNOWN_ID, "x"]) {
		const answer = await get(service, `/v1/invoices/${id}/draft?as=copy`, other.headers);
		expect(answer.status).toBe(404);
	}
});
