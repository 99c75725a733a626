/** What the archive does not give back as it was written is never given on. */
import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { get, sharedService } from "../../support/service";
import { documentOf } from "../support/documents";
import { untilArchived } from "../support/evidence";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

/** Documents that no other test reads. */
async function pathOf(mark: string) {
	const { docId } = await documentOf("accepted", { client_request_id: `evidence-${mark}` });
	const path = `/v1/invoices/${docId}/evidence`;
	await (await untilArchived(path)).body?.cancel();
	const service = await sharedService();
	const [row] = await service.sql<
		{ key: string }[]
	>`select sealed_object_key(tenant_id, doc_id, decided_at, sha256) as key from seals where doc_id = ${docId}`;
	return { path, docId, file: join(service.dataDir, "archive", row?.key ?? "") };
}

async function ask(path: string) {
	const [service, { headers }] = await Promise.all([sharedService(), tenantA()]);
	return expectProblem(get(service, path, headers), 500, "internal-error");
}

async function expectUnread(path: string) {
	const [service, { headers }] = await Promise.all([sharedService(), tenantA()]);
	return expectProblem(get(service, path, headers), 503, "service-unavailable");
}

test("damaged or lost objects are reported, and restored ones are evidence again", async () => {
	const { path, docId, file } = await pathOf("damaged");
	const bytes = readFileSync(file);
	chmodSync(file, 0o640);
	for (const spoilt of [bytes.map((byte, at) => (at === 100 ? byte ^ 1 : byte)), bytes.subarray(0, -1), Buffer.of()]) {
		writeFileSync(file, spoilt);
		expect((await ask(path)).detail).toContain("No evidence is given");
	}
	renameSync(file, `${file}.away`);
	expect((await ask(path)).detail).toContain("No evidence is given");
	mkdirSync(file);
	const unread = await expectUnread(path);
	expect(unread.detail).toBe("The archive cannot be read at present.");
	rmdirSync(file);
	renameSync(`${file}.away`, file);
	writeFileSync(file, bytes);
	chmodSync(file, 0o440);
	const [service, { headers }] = await Promise.all([sharedService(), tenantA()]);
	expect((await get(service, `/v1/invoices/${docId}/evidence`, headers)).status).toBe(200);
});
