import { expect, test } from "bun:test";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTenant, sharedService } from "../../support/service";
import { endedExport } from "../support/archive";
import { expectProblem } from "../support/problem";

test("a missing or different file gets 503 until it is there", async () => {
	const service = await sharedService();
	const { url, exportId } = await endedExport(await createTenant(service));
	const path = join(service.dataDir, "exports", `${exportId}.zip`);
	renameSync(path, `${path}.away`);
	const away = await fetch(url ?? "");
	expect(away.headers.get("retry-after")).toBe("5");
	await expectProblem(away, 503, "service-unavailable");
	writeFileSync(path, "half");
	await expectProblem(fetch(url ?? ""), 503, "service-unavailable");
	renameSync(`${path}.away`, path);
	expect((await fetch(url ?? "")).status).toBe(200);
});

test("an unreadable folder counts as one without the file", async () => {
	const service = await sharedService();
	const { url } = await endedExport(await createTenant(service));
	const folder = join(service.dataDir, "exports");
	renameSync(folder, `${folder}.away`);
	try {
		writeFileSync(folder, "");
		await expectProblem(fetch(url ?? ""), 503, "service-unavailable");
	} finally {
		rmSync(folder);
		renameSync(`${folder}.away`, folder);
	}
	expect((await fetch(url ?? "")).status).toBe(200);
});
