/** Every program of a clone answers `--help` without starting anything, and refuses with one line what its table does not name. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
/** Ten times what is promised for a quiet machine. */
const HELP_MS = 3_000;

const PROGRAMS: readonly (readonly [program: string, words: readonly string[]])[] = [
	["bun run up", ["scripts/up.ts"]],
	["bun start", ["src/main.ts"]],
	["bun run quickstart", ["scripts/quickstart.ts"]],
	["bun run simulator", ["src/simulator/main.ts"]],
	["bun run verify", ["scripts/verify-evidence.ts"]],
	["bun run admin keys create", ["scripts/admin.ts", "keys", "create"]],
	["bun bench", ["bench/run.ts"]],
	["bun run check", ["scripts/check.ts"]],
];

async function run(words: readonly string[], env: Record<string, string> = {}) {
	const child = Bun.spawn([process.execPath, ...words], {
		cwd: ROOT,
		// A folder that cannot be written to: a start would fail.
		env: { PATH: process.env.PATH ?? "", DATA_DIR: "/proc/none", LC_ALL: "C", ...env },
		stdout: "pipe",
		stderr: "pipe",
	});
	const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	return { exitCode: await child.exited, stdout, stderr };
}

describe("--help starts nothing:", () => {
	test.each(PROGRAMS)("%s", async (program, words) => {
		const startedAt = performance.now();
		const help = await run([...words, "--help"]);
		expect(help).toEqual({ exitCode: 0, stdout: expect.stringContaining(program), stderr: "" });
		expect(performance.now() - startedAt).toBeLessThan(HELP_MS);
		expect(help.stdout).not.toContain("\u001b");
	});

	test("in Spanish on a Spanish system", async () => {
		const help = await run(["scripts/admin.ts", "keys", "--help"], { LC_ALL: "es_DO.UTF-8" });
		expect(help.stdout).toContain("Crea una clave y la muestra una sola vez");
	});
});

describe("a misuse is one line and exits with 2:", () => {
	test.each<[string, string[]]>([
		["unknown option of bun run up: --port", ["scripts/up.ts", "--port", "3000"]],
		["bun start does not know what to do with now", ["src/main.ts", "now"]],
		["unknown option of bun run quickstart: --fast", ["scripts/quickstart.ts", "--fast"]],
		["unknown option of bun run simulator: --port", ["src/simulator/main.ts", "--port=1"]],
		["bun run verify needs FILE.zip", ["scripts/verify-evidence.ts", "--json"]],
		["expected --lang en|es, got fr", ["scripts/verify-evidence.ts", "--lang", "fr", "x.zip"]],
		["unknown option of bun bench: --all", ["bench/run.ts", "--all"]],
		["no bench is called none", ["bench/run.ts", "none"]],
		[
			"expected --only format|types|supply-chain|changelog|openapi|tests, got lint",
			["scripts/check.ts", "--only", "lint"],
		],
		["expected --processes to be a number from 1, got 0", ["scripts/check.ts", "--processes", "0"]],
		["a command is needed; see bun run admin --help", ["scripts/admin.ts"]],
		["keys needs one of create, list, revoke", ["scripts/admin.ts", "keys"]],
		["--label is needed", ["scripts/admin.ts", "keys", "create", "--plan", "free"]],
	])("%s", async (sentence, words) => {
		const { exitCode, stdout, stderr } = await run(words);
		expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
		expect(stderr).toStartWith(sentence);
		expect(stderr.trim().split("\n")).toHaveLength(1);
	});
});
