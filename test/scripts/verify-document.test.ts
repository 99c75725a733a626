/** `scripts/verify-document.ts` as it is run: what it says, its exit codes. */
import { expect, test } from "bun:test";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const CORPUS = join(ROOT, "test/ecf/verification/corpus");
const SOUND = join(CORPUS, "genuine/exclusive.xml");
const MISSING = join(CORPUS, "missing.xml");

async function verify(files: readonly string[], bundle = "") {
	const child = Bun.spawn([process.execPath, "scripts/verify-document.ts", ...files], {
		cwd: ROOT,
		env: { ...process.env, TRUSTED_CA_FILE: bundle },
		stdout: "pipe",
		stderr: "pipe",
	});
	const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	return { exitCode: await child.exited, stdout, lines: stderr.trim().split("\n") };
}

test("a sound document ends with 0, a file that is no document with 1", async () => {
	const sound = await verify([SOUND]);
	expect([sound.exitCode, JSON.parse(sound.stdout)]).toEqual([0, expect.objectContaining({ integrity: "intact" })]);
	const other = await verify([join(CORPUS, "manifest.json")]);
	expect([other.exitCode, JSON.parse(other.stdout).faults]).toEqual([1, [expect.anything()]]);
});

test.each<[string, string[], string, string]>([
	["no file", [], "", "usage: bun scripts/verify-document.ts FILE…"],
	[
		"a file that is not there, among others",
		[SOUND, MISSING],
		"",
		`ENOENT: no such file or directory, open '${MISSING}'`,
	],
	["a folder", [CORPUS], "", "EISDIR: illegal operation on a directory, read"],
	["a bundle that is not there", [SOUND], MISSING, `${MISSING} holds no bundle of authorities: it cannot be read`],
])("%s prints the usage and exits with 2 without verifying", async (_, files, bundle, sentence) => {
	const { exitCode, stdout, lines } = await verify(files, bundle);
	expect({ exitCode, stdout, sentence: lines[0] }).toEqual({ exitCode: 2, stdout: "", sentence });
	expect(lines.at(-1)).toBe("usage: bun scripts/verify-document.ts FILE…");
});
