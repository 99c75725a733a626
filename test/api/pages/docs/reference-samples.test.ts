/** Compilers of the three languages read every sample of the reference against the client libraries. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demoVariables, fillVariables } from "../../../../scripts/samples/guides";
import { listSamples, toSampleCall } from "../../../../src/api/openapi";
import { findJudge, type Verdict } from "../../../support/judges";
import { ROOT } from "../../../support/processes";
import { reportSkip } from "../../../support/skips";
import { BASE_URL, declaredOperations } from "../../support/declared-operations";

const LIMIT_MS = 60_000;
const hasPhp = Bun.which("php") !== null;
if (!hasPhp) reportSkip("the samples in PHP need php");
const LIBRARIES = join(ROOT, "src/sdk");
const ENDINGS = { typescript: "ts", python: "py", php: "php" } as const;
const folder = mkdtempSync(join(tmpdir(), "sello-reference-"));
const folderOf = (tab: keyof typeof ENDINGS) => join(folder, tab);
const filesOf = (tab: keyof typeof ENDINGS) => readdirSync(folderOf(tab)).map((name) => join(folderOf(tab), name));

beforeAll(() => {
	for (const tab of ["typescript", "python", "php"] as const) mkdirSync(folderOf(tab));
	for (const operation of declaredOperations())
		for (const { tab, code } of listSamples(toSampleCall(operation)))
			if (tab !== "curl")
				writeFileSync(
					join(folderOf(tab), `${operation.id}.${ENDINGS[tab]}`),
					fillVariables(code, demoVariables(BASE_URL)),
				);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Adds a sample with a mistake, which shows that the compiler looks for them. */
const addMistake = (tab: keyof typeof ENDINGS, code: string) =>
	writeFileSync(join(folderOf(tab), `mistake.${ENDINGS[tab]}`), code);
const removeMistake = (tab: keyof typeof ENDINGS) => rmSync(join(folderOf(tab), `mistake.${ENDINGS[tab]}`));

async function judge(command: readonly string[], env: Record<string, string> = {}): Promise<Verdict> {
	const child = Bun.spawn([...command], {
		...{ cwd: folder, stdin: "ignore", stdout: "pipe", stderr: "pipe", env: { ...process.env, ...env } },
	});
	const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	return { exitCode: await child.exited, output: stdout + stderr };
}

test(
	"the TypeScript compiler accepts every sample of the reference",
	async () => {
		const compilerOptions = {
			...{ strict: true, noEmit: true, target: "esnext", lib: ["esnext", "dom"], types: [], skipLibCheck: true },
			...{ module: "preserve", moduleDetection: "force", allowImportingTsExtensions: true },
			paths: { "@sello/sdk": [join(LIBRARIES, "typescript/index.ts")] },
		};
		writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["typescript/*.ts"] }));
		const compile = () => judge([join(ROOT, "node_modules/.bin/tsc"), "-p", folder]);
		expect(await compile()).toEqual({ exitCode: 0, output: "" });
		addMistake("typescript", 'import { Sello } from "@sello/sdk";\nawait new Sello().invoices.getAll();\n');
		expect((await compile()).output).toContain("mistake.ts(2,");
		removeMistake("typescript");
	},
	LIMIT_MS,
);

test.skipIf(!findJudge("mypy"))(
	"mypy accepts every sample of the reference",
	async () => {
		const check = () =>
			judge(
				[
					...["mypy", "--strict", "--python-version", "3.9", "--scripts-are-modules", "--no-error-summary"],
					...["--cache-dir", join(folder, "cache"), ...filesOf("python")],
				],
				{ MYPYPATH: join(LIBRARIES, "python") },
			);
		expect(await check()).toEqual({ exitCode: 0, output: "" });
		addMistake("python", "from sello_ecf import Sello\nSello().invoices.get_all()\n");
		expect((await check()).output).toContain("mistake.py:2:");
		removeMistake("python");
	},
	LIMIT_MS,
);

/** `php -l` reads one file a process before PHP 8.3; its parser reads them all in one. */
const PARSE = `foreach (array_slice($argv, 1) as $file) {
	try { token_get_all(file_get_contents($file), TOKEN_PARSE); }
	catch (ParseError $error) { echo "$file:{$error->getLine()}: {$error->getMessage()}\\n"; }
}`;

test.skipIf(!hasPhp)("PHP parses every sample of the reference", async () => {
	const parse = () => judge(["php", "-r", PARSE, "--", ...filesOf("php")]);
	expect(await parse()).toEqual({ exitCode: 0, output: "" });
	addMistake("php", "<?php\n$sello->invoices->get(;\n");
	expect((await parse()).output).toContain("mistake.php:2:");
	removeMistake("php");
});
