/** A request for a mail is no larger than other requests. */
import { expect, test } from "bun:test";
import { sharedService } from "../../support/service";
import { documentOf } from "../support/documents";
import { postEmail } from "../support/emails";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

test("20,000 recipients or 10 MB are too large; the longest valid message is not", async () => {
	const [service, tenant, { docId }] = [await sharedService(), await tenantA(), await documentOf("accepted")];
	const ask = (body: unknown) => postEmail(service, tenant, docId, body);
	const many = Array.from({ length: 20_000 }, (_, n) => `a${n}@c.example`);
	await expectProblem(ask({ to: many }), 413, "payload-too-large");
	await expectProblem(ask({ to: ["a@c.example"], message: "x".repeat(10_000_000) }), 413, "payload-too-large");
	const escaped = `{"to":["a@c.example"],"attach":[],"message":"${"\\u00f1".repeat(4_000)}"}`;
	expect((await ask(escaped)).status).toBe(202);
});
