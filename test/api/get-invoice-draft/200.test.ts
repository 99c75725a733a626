/** Drafts are bodies that the service issues. */
import { expect, test } from "bun:test";
import { toLocalIsoDate } from "../../../src/platform/values";
import { get, postInvoice, sharedService, untilDecided } from "../../support/service";
import { documentOf } from "../support/documents";
import { tenantA } from "../support/tenants";

type Draft = {
	readonly request: Readonly<Record<string, unknown>>;
	readonly open: readonly { readonly pointer: string }[];
	readonly changes: readonly { readonly pointer: string; readonly after: unknown }[];
};

async function draftOf(docId: string, as: string): Promise<Draft> {
	const answer = await get(await sharedService(), `/v1/invoices/${docId}/draft?as=${as}`, (await tenantA()).headers);
	expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
	return (await answer.json()) as Draft;
}

test("a credit note is drafted and cancels its original", async () => {
	const [service, tenant] = [await sharedService(), await tenantA()];
	const { docId, request } = await documentOf("accepted", { notes: "to be credited" });
	const { request: note, open } = await draftOf(docId, "credit");
	expect(open.map(({ pointer }) => pointer)).toEqual(["/encf"]);
	expect(note).toMatchObject({ type: "34", reference: { encf: request.encf, code: 1 }, totals: request.totals });
	const encf = `E34${String(request.encf).slice(3)}`;
	const answer = await postInvoice(service, tenant, { ...note, encf });
	expect(answer.status).toBe(202);
	const { docId: noteId } = (await answer.json()) as { docId: string };
	expect(await untilDecided(service, tenant, noteId)).toMatchObject({ status: "accepted" });
	const again = await get(service, `/v1/invoices/${docId}/draft?as=credit`, tenant.headers);
	expect([again.status, await again.json()]).toMatchObject([
		400,
		{ errors: [{ pointer: "#/query/as", code: "nothing-left" }] },
	]);
});

test("a rejected document is drafted again under an id of its own", async () => {
	const { docId, request } = await documentOf("rejected");
	const draft = await draftOf(docId, "reissue");
	expect(draft).toMatchObject({ as: "reissue", docId, encf: request.encf });
	expect(draft.request.client_request_id).toBe(`reissue-${docId}`);
});

test("a rejected document is drafted for today, one of an earlier month asks", async () => {
	const dated = async (day: string) => {
		const { docId } = await documentOf("rejected", { issue_date: day });
		const { request, changes, open } = await draftOf(docId, "reissue");
		const [change] = changes.filter(({ pointer }) => pointer === "/issue_date");
		return {
			date: request.issue_date,
			after: change?.after,
			asked: open.some(({ pointer }) => pointer === "/issue_date"),
		};
	};
	const today = toLocalIsoDate(new Date());
	const before = toLocalIsoDate(new Date(Date.now() - 40 * 86_400_000));
	expect(await dated(today)).toEqual({ date: undefined, after: null, asked: false });
	expect(await dated(before)).toEqual({ date: before, after: undefined, asked: true });
});
