/** 400, 409 and 422: what is not taken in, and why. */
import { expect, test } from "bun:test";
import { signedEcf } from "../../support/peer";
import { readProblem } from "../support/problem";
import { postReceived, receivedBy } from "../support/received";
import { tenantA, tenantB } from "../support/tenants";

test("400 distinguishes file, signature and form", async () => {
	const tenant = await tenantA();
	const good = signedEcf({ buyerRnc: tenant.rnc });
	const codes: unknown[] = [];
	for (const xml of ["", "<ECF>", good.replace("Cemento", "Arena"), signedEcf({ buyerRnc: tenant.rnc, type: "32" })]) {
		const problem = await readProblem(await postReceived(tenant, xml));
		codes.push([problem.status, problem.errors?.[0]?.code]);
	}
	expect(codes).toEqual([
		[400, "document-unreadable"],
		[400, "document-unreadable"],
		[400, "signature-refused"],
		[400, "format-refused"],
	]);
});

test("409 names the document that holds the number", async () => {
	const tenant = await tenantA();
	const { record, xml } = await receivedBy(tenant);
	for (const again of [xml, signedEcf({ buyerRnc: tenant.rnc, encf: record.encf })]) {
		const problem = await readProblem(await postReceived(tenant, again));
		expect(problem).toMatchObject({ status: 409, id: record.id, sha256: record.sha256 });
		expect(problem.type).toEndWith("/duplicate-document");
	}
});

test("422 for another company's document, even of a company here", async () => {
	const [tenant, other] = [await tenantA(), await tenantB()];
	for (const buyerRnc of [other.rnc, "999999999"]) {
		const problem = await readProblem(await postReceived(tenant, signedEcf({ buyerRnc })));
		expect(problem.status).toBe(422);
		expect(problem.type).toEndWith("/document-buyer-mismatch");
	}
});
