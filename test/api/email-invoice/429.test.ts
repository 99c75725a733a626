/** A document is mailed twenty times in a day. */
import { expect, test } from "bun:test";
import { buildInvoice, postInvoice, sharedService } from "../../support/service";
import { listEmails, postEmail } from "../support/emails";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

test("of thirty concurrent requests twenty succeed and ten get Retry-After", async () => {
	const [service, tenant] = [await sharedService(), await tenantA()];
	const { docId } = (await (await postInvoice(service, tenant, buildInvoice(tenant))).json()) as { docId: string };
	const ask = () => postEmail(service, tenant, docId, { to: ["a@c.example"], attach: [] });
	const answers = await Promise.all(Array.from({ length: 30 }, ask));
	expect(answers.filter(({ status }) => status === 202)).toHaveLength(20);
	const refused = answers.filter(({ status }) => status !== 202);
	for (const answer of refused) {
		const problem = await expectProblem(answer, 429, "rate-limit-exceeded");
		expect(problem).toMatchObject({ limit: 20, windowSeconds: 86_400, policy: "mails-of-document" });
		expect(Number(answer.headers.get("retry-after"))).toBe(problem.retryAfter as number);
		expect(answer.headers.get("ratelimit-policy")).toBe('"mails-of-document";q=20;w=86400');
		expect(answer.headers.get("ratelimit")).toBe(`"mails-of-document";r=0;t=${problem.retryAfter}`);
	}
	expect((await listEmails(service, tenant, docId, "?limit=100")).count).toBe(20);
	await service.sql`
		update emails set created_at = created_at - interval '1 day' where doc_id = ${docId}
			and id = (select min(id::text)::uuid from emails where doc_id = ${docId})`;
	expect((await ask()).status).toBe(202);
	await expectProblem(ask(), 429, "rate-limit-exceeded");
});
