import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findMemoryFolder } from "../support/memory-folder";

const folder = mkdtempSync(join(tmpdir(), "sello-memory-folder-"));
afterAll(() => rmSync(folder, { recursive: true }));

test.skipIf(process.platform !== "linux")("folders of runs that have ended are removed, and nothing else", () => {
	// No process has an id this high.
	const names = ["of-tests-999999999-a", `of-tests-${process.pid}-b`, "of-others-999999999-c"];
	for (const name of names) mkdirSync(join(folder, name));
	expect(findMemoryFolder("of-tests-", folder, 1)).toBe(folder);
	expect(readdirSync(folder).sort()).toEqual(names.slice(1).sort());
});

test("a folder that is full or missing is not used", () => {
	expect(findMemoryFolder("of-tests-", folder, Number.MAX_SAFE_INTEGER)).toBeUndefined();
	expect(findMemoryFolder("of-tests-", join(folder, "missing"), 1)).toBeUndefined();
});
