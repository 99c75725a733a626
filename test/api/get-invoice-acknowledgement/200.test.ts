/** The buyer's acknowledgement as the buyer sent it. */
import { beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findJudge } from "../../support/judges";
import { get, sharedService, type Tenant, type TestService } from "../../support/service";
import { issueTo, SIMULATED, untilDelivery } from "../support/buyer-deliveries";
import { tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
let docId: string;
let sha256: string | undefined;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
	docId = await issueTo(tenant, SIMULATED);
	sha256 = (await untilDelivery(tenant, docId, "delivered")).acknowledgement?.sha256;
}, 180_000);

const read = (id: string, headers: Record<string, string> = {}, who = tenant) =>
	get(service, `/v1/invoices/${id}/delivery/arecf`, { ...who.headers, ...headers });

test("its bytes, their digest, a name for the file, and 304 to who has them", async () => {
	const answer = await read(docId);
	const bytes = Buffer.from(await answer.arrayBuffer());
	expect(createHash("sha256").update(bytes).digest("hex")).toBe(sha256 ?? "");
	expect(Object.fromEntries(answer.headers)).toMatchObject({
		"content-type": "application/xml; charset=utf-8",
		"content-disposition": expect.stringMatching(/^attachment; filename="E31\d{10}-arecf\.xml"$/),
		"cache-control": "private, no-cache",
		"x-content-type-options": "nosniff",
		etag: `"${sha256}"`,
	});
	expect(bytes.toString()).toContain(`<RNCComprador>${SIMULATED.rnc}</RNCComprador>`);
	expect((await read(docId, { "if-none-match": `"${sha256}"` })).status).toBe(304);
});

const judge = findJudge("verify-signature");
test.skipIf(!judge)("another program finds its signature good", async () => {
	const folder = mkdtempSync(join(tmpdir(), "sello-arecf-"));
	try {
		const file = join(folder, "arecf.xml");
		writeFileSync(file, Buffer.from(await (await read(docId)).arrayBuffer()));
		expect(await judge?.(file)).toMatchObject({ exitCode: 0 });
	} finally {
		rmSync(folder, { recursive: true });
	}
});
