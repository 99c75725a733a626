/** A company that has moved to another of the authority's environments, and a document that was signed before. */

import { beforeAll, expect, test } from "bun:test";
import { joinFrames, packFrame, splitFrames, unpackFrame } from "../../src/platform/values";
import { patchCompany } from "../api/support/patches";
import { rewrite } from "../support/documents";
import {
	buildInvoice,
	createTenant,
	postInvoice,
	sharedService,
	type TestService,
	untilDecided,
} from "../support/service";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
}, 120_000);

/** Lets a document go on as if its caller had asked for no scenario. */
async function forgetScenario(docId: string): Promise<void> {
	const [row] = await service.sql<{ body: Uint8Array }[]>`select body from papers where doc_id = ${docId}`;
	const [signed, known] = splitFrames(row?.body ?? new Uint8Array());
	if (!signed || !known) throw new Error("expected papers of two frames");
	const [acknowledgement = "", text = "{}"] = unpackFrame(known);
	const { scenario: _, ...rest } = JSON.parse(text) as Record<string, unknown>;
	const body = Buffer.from(joinFrames([signed, packFrame([acknowledgement, JSON.stringify(rest)])]));
	await rewrite(service.owner, (tx) => tx`update papers set body = ${body} where doc_id = ${docId}`);
}

test("a document retried after the move goes to the environment of its QR", async () => {
	const tenant = await createTenant(service);
	const posted = await postInvoice(service, tenant, buildInvoice(tenant), { "x-sandbox-scenario": "fail" });
	const { docId, encf, print } = (await posted.json()) as { docId: string; encf: string; print: { qrUrl: string } };
	expect(print.qrUrl).toContain("/testecf/");
	expect(await untilDecided(service, tenant, docId, 30_000)).toMatchObject({ status: "failed" });
	await forgetScenario(docId);

	await patchCompany(service, tenant, { authorityEnvironment: "certification" });
	// The number is new there, and taking it does not keep the other document from its own.
	const anew = await postInvoice(service, tenant, buildInvoice(tenant, { encf }), { prefer: "wait=20" });
	expect([anew.status, await anew.json()]).toMatchObject([202, { status: "accepted" }]);
	await fetch(`${service.url}/v1/invoices/${docId}/retry`, { method: "POST", headers: tenant.headers });
	expect(await untilDecided(service, tenant, docId, 30_000)).toMatchObject({ status: "accepted" });

	const receptions = await (await fetch(`${service.simulatorUrl}/_simulator/receptions`)).json();
	const ours = (receptions as { rnc: string; encf: string; environment: string }[]).filter(
		({ rnc }) => rnc === tenant.rnc,
	);
	expect(ours).toMatchObject([
		{ encf, environment: "certecf" },
		{ encf, environment: "testecf" },
	]);
}, 120_000);
