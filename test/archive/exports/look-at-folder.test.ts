import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lookAtFolder } from "../../../src/archive/exports/look-at-folder";
import { captureLog } from "../../api/support/log";

const root = mkdtempSync(join(tmpdir(), "sello-exports-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("a folder in which exports can be written is made where it is missing, and nothing is told or left", async () => {
	const { log, lines } = captureLog();
	await lookAtFolder(join(root, "exports"), log);
	expect(readdirSync(join(root, "exports"), { recursive: true })).toEqual([".making"]);
	expect(lines).toEqual([]);
});

test.each([
	["that cannot be made", join(root, "file", "exports"), "ENOTDIR"],
	["in which nothing may be written", "/proc/exports", "ENOENT"],
])("a folder %s is told with its setting and why", async (_, folder, code) => {
	writeFileSync(join(root, "file"), "");
	const { log, lines } = captureLog();
	await lookAtFolder(folder, log);
	expect(lines).toMatchObject([{ level: "error", folder, err: { code } }]);
	expect(String(lines[0]?.msg)).toContain("EXPORTS_DIR");
});
