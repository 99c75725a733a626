/** What cannot be a mail is refused with all its faults, and nothing is written. */
import { expect, test } from "bun:test";
import { sharedService } from "../../support/service";
import { documentOf } from "../support/documents";
import { listEmails, postEmail } from "../support/emails";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

test("every fault at once, line ends in subject and address among them", async () => {
	const [service, tenant, { docId }] = [await sharedService(), await tenantA(), await documentOf("failed")];
	const ask = (body: unknown) => postEmail(service, tenant, docId, body);
	await expectProblem(
		ask({ to: ["ana@client.example\r\nBcc: eva@evil.example"], subject: "Hola\r\nBcc: x@evil.example", locale: "fr" }),
		...([400, "validation-error", ["/to/0 invalid-email", "/subject invalid-subject", "/locale not-in-list"]] as const),
	);
	const many = Array.from({ length: 1_000 }, (_, n) => `a${n}@c.example`);
	await expectProblem(ask({ to: many }), 400, "validation-error", ["/to too-many"]);
	await expectProblem(ask({}), 400, "validation-error", ["/to required"]);
	await expectProblem(ask('{"to":'), 400, "malformed-json");
	const misspelt = postEmail(service, tenant, `${docId}`, { to: ["a@c.example"] }, { "idempotency-key": "1" });
	await expectProblem(misspelt, 400, "validation-error", ["#/headers/idempotency-key invalid-format"]);
	expect((await listEmails(service, tenant, docId)).count).toBe(0);
});
