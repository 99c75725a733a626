/** The next build removes what a crash has left of a snapshot, even if it only rebuilds an existing run. */
import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { directoryOf, entries, openOn, temporaryFolder, toText } from "../build";

const folder = temporaryFolder();
let database: TestDatabase;
beforeEach(async () => {
	database = await openTestDatabase();
});
afterEach(() => database.close());
afterAll(() => folder.remove());

test("a start rebuilds a run without a file and removes what a crash has left", async () => {
	const source = folder.write("run.txt", toText(entries(50)));
	const first = await openOn(database.sql, source);
	const runId = first.runId();
	await first.close();
	const directory = directoryOf(database.sql);
	for (const name of readdirSync(directory)) rmSync(join(directory, name));
	writeFileSync(join(directory, "0192ef00-0000-7000-8000-000000000001.snapshot.tmp"), "half a snapshot");
	writeFileSync(join(directory, "0192ef00-0000-7000-8000-000000000001.tmp"), "half a source");

	const again = await openOn(database.sql, source);
	expect(again.runId()).toBe(runId);
	expect(readdirSync(directory).sort()).toEqual([`${runId}.0.history`, `${runId}.0.snapshot`]);
	await again.close();
});
