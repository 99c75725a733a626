/** Services on one database with different settings: the second is refused, and an operator's change degrades the one that runs. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/app/config/read-config";
import { explainStartupError } from "../../src/app/explain-startup-error";
import { startService } from "../../src/app/service";
import { openTestDatabase, type TestDatabase } from "../support/database";
import { findFreePort } from "../support/processes";
import { until } from "../support/until";

const ROOT = join(import.meta.dir, "../..");
const TIMEOUT_MS = 60_000;
const folder = mkdtempSync(join(tmpdir(), "sello-test-settings-"));

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, TIMEOUT_MS);
afterAll(async () => {
	await database.close();
	rmSync(folder, { recursive: true });
});

const settingsWith = (more: Readonly<Record<string, string>>) => ({
	...{ PORT: "0", DATA_DIR: folder, DATABASE_URL: database.url, LOG_LEVEL: "silent", ROLE: "registry" },
	...more,
});

const start = async (more: Readonly<Record<string, string>>) => startService(await readConfig(settingsWith(more), 1));

async function admin(...words: string[]) {
	const child = Bun.spawn([process.execPath, "scripts/admin.ts", ...words, "--json"], {
		...{ cwd: ROOT, stdout: "pipe", stderr: "pipe" },
		env: { ...process.env, ...settingsWith({}) },
	});
	const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	return { exitCode: await child.exited, stdout, stderr };
}

test(
	"another address is refused, and a change for all degrades what runs",
	async () => {
		const port = await findFreePort();
		const first = await start({ BASE_URL: "https://a.example", PORT: String(port) });
		const refused = await start({ BASE_URL: "https://b.example/" }).catch(explainStartupError);
		expect(refused).toContain("BASE_URL is https://b.example here and https://a.example in the deployment");
		// Other settings may differ.
		await (await start({ BASE_URL: "https://a.example", REGISTRY_GRACE_SECONDS: "0" })).stop();

		const check = async () => {
			const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
			const { status, checks } = (await answer.json()) as { status: string; checks: Record<string, string> };
			return [answer.status, status, checks.settings];
		};
		expect(await check()).toEqual([200, "ok", "ok"]);
		const odd = await admin("deployment", "set", "BASE_URL", "ftp://c.example");
		expect([odd.exitCode, odd.stderr]).toEqual([
			2,
			expect.stringContaining("expected BASE_URL to be a URL with http:"),
		]);
		const unknown = await admin("deployment", "set", "PORT", "3001");
		expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining("expected one of BASE_URL,")]);
		const set = await admin("deployment", "set", "BASE_URL", "https://c.example/");
		expect([set.exitCode, JSON.parse(set.stdout)]).toEqual([
			0,
			expect.objectContaining({ value: "https://c.example" }),
		]);
		await until(async () => (await check())[1] === "degraded");
		expect(await check()).toEqual([200, "degraded", "degraded"]);
		const { environment, settings, processes } = JSON.parse((await admin("deployment")).stdout);
		expect(environment).toBeNull();
		expect(settings).toContainEqual({ name: "BASE_URL", value: "https://c.example", since: expect.any(String) });
		expect(processes).toEqual([expect.objectContaining({ role: "registry" })]);
		await first.stop();
		await (await start({ BASE_URL: "https://c.example" })).stop();
	},
	TIMEOUT_MS,
);
