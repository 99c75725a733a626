import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { signedEcf } from "../../support/peer";
import { createTenant, sharedService } from "../../support/service";
import { postReceived, type ReceivedBody } from "../support/received";

test("a supplier's document is imported unchanged and shown completely", async () => {
	const tenant = await createTenant(await sharedService());
	const xml = `\uFEFF<?xml version="1.0" encoding="utf-8"?>${signedEcf({ buyerRnc: tenant.rnc, orderNumber: "OC-5521", encf: "E310000004321" })}`;
	const answer = await postReceived(tenant, xml, { "content-type": "text/xml; charset=utf-8" });
	expect(answer.status).toBe(201);
	const body = (await answer.json()) as ReceivedBody;
	expect(answer.headers.get("location")).toBe(`/v1/received-documents/${body.id}`);
	expect(body).toEqual({
		id: body.id,
		tenantId: tenant.tenantId,
		issuer: { rnc: "101010101", name: "PROVEEDOR ÑANDÚ & CIA" },
		type: "31",
		encf: "E310000004321",
		issueDate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
		totals: { subtotal: "1000.00", tax: "180.00", grand_total: "1180.00" },
		signature: { valid: true, signer: expect.any(String) },
		authorityStatus: "unknown",
		proof: "unproven",
		acknowledgement: null,
		approval: null,
		receivedAt: expect.stringMatching(/Z$/),
		sha256: createHash("sha256").update(xml).digest("hex"),
	});
});

test("of ten concurrent imports of one document one is stored", async () => {
	const tenant = await createTenant(await sharedService());
	const xml = signedEcf({ buyerRnc: tenant.rnc });
	const answers = await Promise.all(Array.from({ length: 10 }, () => postReceived(tenant, xml)));
	const statuses = answers.map(({ status }) => status).toSorted();
	expect(statuses).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
});
