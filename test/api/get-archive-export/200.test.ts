import { expect, test } from "bun:test";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getArchiveObject } from "../../../src/archive";
import { sharedService } from "../../support/service";
import { endedExport, makeArchivedTenant, readExport } from "../support/archive";

const damagedOf = (record: object) =>
	(record as { damaged: { code: string; docId: string; detail: string }[] }).damaged;

test("an export with a missing or altered object goes on and names the document", async () => {
	const service = await sharedService();
	const { tenant, docIds } = await makeArchivedTenant();
	const [changed = "", missing = ""] = docIds;
	const pathOf = async (docId: string) =>
		join(service.dataDir, "archive", (await getArchiveObject(service.sql, tenant.tenantId, docId))?.objectKey ?? "?");
	const original = readFileSync(await pathOf(changed));
	chmodSync(await pathOf(changed), 0o640);
	writeFileSync(await pathOf(changed), Buffer.concat([original, Buffer.from("x")]));
	const one = await endedExport(tenant);
	expect({ ...one }).toMatchObject({ status: "ready", failure: null, damagedCount: 1 });
	expect(damagedOf(one)).toMatchObject([{ code: "object-changed", docId: changed }]);
	expect(String(damagedOf(one)[0]?.detail)).toMatch(/^The sealed object of E31\d{10} .*is not what was archived\.$/);

	writeFileSync(await pathOf(changed), original);
	rmSync(await pathOf(missing));
	const other = await endedExport(tenant, { from: "2026-01-01", to: "2199-12-31", format: "tar.zst" });
	expect(damagedOf(other)).toMatchObject([{ code: "object-missing", docId: missing }]);
	expect(await readExport(tenant, other._links.self)).toEqual(other);
});
