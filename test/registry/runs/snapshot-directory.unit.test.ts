import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "../../../src/platform/values";
import { openSnapshotDirectory } from "../../../src/registry/runs/snapshot-directory";

const path = mkdtempSync(join(tmpdir(), "sello-snapshots-"));
afterAll(() => rmSync(path, { recursive: true, force: true }));

test("an ignored file is not found again, and the next one of its run is another file", async () => {
	const directory = openSnapshotDirectory(path);
	const runId = newId();
	const publish = () => {
		const temporary = directory.temporaryPath(newId());
		writeFileSync(temporary, "bytes");
		return directory.publish(temporary, runId);
	};
	const damaged = await publish();
	expect(directory.find(runId)).toBe(damaged);
	directory.setAside(damaged);
	expect([directory.find(runId), directory.list()]).toEqual([undefined, []]);
	const anew = await publish();
	expect(anew).not.toBe(damaged);
	expect(directory.find(runId)).toBe(anew);
});
