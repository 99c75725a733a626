import { test } from "bun:test";
import { createTenant, sharedService } from "../../support/service";
import { endedExport } from "../support/archive";
import { expectProblem } from "../support/problem";

test("an address whose time is over says so", async () => {
	const service = await sharedService();
	const { url, exportId } = await endedExport(await createTenant(service));
	await service.sql`update archive_exports set status = 'expired' where id = ${exportId}`;
	await expectProblem(fetch(url ?? ""), 410, "link-expired");
});
