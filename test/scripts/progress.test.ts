/** The progress of an ingest: a bar on a terminal, lines of JSON elsewhere. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { showProgress } from "../../scripts/progress";
import { entries, toText, toZip } from "../registry/build";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { reportSkip } from "../support/skips";

const folder = mkdtempSync(join(tmpdir(), "sello-test-progress-"));
const source = join(folder, "rnc.zip");
let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
	writeFileSync(join(folder, "kek"), Buffer.alloc(32, 7).toString("base64"), { mode: 0o600 });
	writeFileSync(source, toZip(toText(entries(30_000))));
});
afterAll(async () => {
	await database.close();
	rmSync(folder, { recursive: true, force: true });
});

const root = join(import.meta.dir, "../..");
const command = [process.execPath, "scripts/admin.ts", "registry", "ingest", "--source", source, "--json"];
const env = () => ({
	...{ PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", TERM: "xterm" },
	...{ DATABASE_URL: database.url, DATA_DIR: folder },
});
const script = Bun.which("script");
if (!script) reportSkip("the bar on a terminal needs the program script", { requiredInCi: false });

function record(isTTY: boolean) {
	let nowMs = 0;
	const written: string[] = [];
	const progress = showProgress({ isTTY, write: (text) => written.push(text) }, () => nowMs);
	return {
		written,
		progress,
		at: (ms: number) => {
			nowMs = ms;
		},
	};
}

describe("on a terminal", () => {
	test("one line is redrawn with share, step, rows and time left", () => {
		const { written, progress, at } = record(true);
		progress.show({ step: "fetch", share: 0 });
		at(5_000);
		progress.show({ step: "parse", share: 1, rows: 760_214 });
		at(9_000);
		progress.show({ step: "publish", share: 1, rows: 760_214 });
		progress.end();
		expect(written).toEqual([
			"\r\x1b[2K[------------------------]   0 % fetch",
			"\r\x1b[2K[############------------]  50 % parse, 760,214 rows, 5 s left",
			"\r\x1b[2K[########################] 100 % publish, 760,214 rows, 0 s left",
			"\n",
		]);
	});

	test("waiting for another ingest is shown and does not count towards the time left", () => {
		const { written, progress, at } = record(true);
		progress.show({ step: "wait" });
		at(60_000);
		progress.show({ step: "fetch", share: 0 });
		at(65_000);
		progress.show({ step: "parse", share: 1, rows: 760_214 });
		expect(written).toEqual([
			"\r\x1b[2Kwaiting for another ingest to end",
			"\r\x1b[2K[------------------------]   0 % fetch",
			"\r\x1b[2K[############------------]  50 % parse, 760,214 rows, 5 s left",
		]);
	});

	test.skipIf(!script)("the operator's command draws the bar", async () => {
		const quoted = command.map((word) => `'${word}'`).join(" ");
		const child = Bun.spawn([script ?? "", "-qefc", quoted, "/dev/null"], {
			...{ cwd: root, env: env(), stdin: "ignore", stdout: "pipe", stderr: "pipe" },
		});
		const shown = await new Response(child.stdout).text();
		expect(await child.exited).toBe(0);
		expect(shown).toContain("\r\x1b[2K[");
		expect(shown).toMatch(/\[[#-]{24}\] +\d+ % parse, [\d,]+ rows/);
		expect(shown).toMatch(/ % publish/);
		expect(shown).toContain('"result":"ok"');
		expect(shown).not.toContain('{"step"');
	});
});

describe("elsewhere", () => {
	test("each step is one line of JSON, however often it is reported", () => {
		const { written, progress, at } = record(false);
		progress.show({ step: "fetch", share: 0 });
		progress.show({ step: "fetch", share: 0.5 });
		at(1_234.5);
		for (const rows of [1, 2, 3]) progress.show({ step: "parse", share: rows / 3, rows });
		progress.end();
		expect(written).toEqual(['{"step":"fetch","elapsed_ms":0}\n', '{"step":"parse","elapsed_ms":1235,"rows":1}\n']);
	});

	test("the operator's command prints progress beside its result", async () => {
		const child = Bun.spawn(command, { cwd: root, env: env(), stdin: "ignore", stdout: "pipe", stderr: "pipe" });
		const [result, progress] = await Promise.all([
			new Response(child.stdout).text(),
			new Response(child.stderr).text(),
		]);
		expect(await child.exited).toBe(0);
		expect(["ok", "unchanged"]).toContain((JSON.parse(result) as { result: string }).result);
		const steps = progress
			.trim()
			.split("\n")
			.map((line) => (JSON.parse(line) as { step: string }).step);
		expect(steps[0]).toBe("fetch");
		expect(steps.at(-1)).toBe("publish");
		expect(new Set(steps).size).toBe(steps.length);
		expect(progress).not.toContain("\x1b");
	});

	test("the operator's command reports that it waits for another ingest", async () => {
		const reported = Promise.withResolvers<void>();
		const child = await database.sql.begin(async (tx) => {
			await tx`select pg_advisory_xact_lock(7301004)`;
			const spawned = Bun.spawn(command, { cwd: root, env: env(), stdin: "ignore", stdout: "ignore", stderr: "pipe" });
			const lines: string[] = [];
			const read = async () => {
				const decoder = new TextDecoder();
				for await (const piece of spawned.stderr) {
					lines.push(decoder.decode(piece, { stream: true }));
					reported.resolve();
				}
				reported.resolve();
				return lines.join("");
			};
			const text = read();
			await reported.promise;
			expect(JSON.parse(lines.join(""))).toMatchObject({ step: "wait" });
			return { spawned, text };
		});
		expect(await child.spawned.exited).toBe(0);
		expect(await child.text).toContain('{"step":"fetch"');
	});
});
