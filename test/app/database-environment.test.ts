import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/app/config/read-config";
import { explainStartupError } from "../../src/app/explain-startup-error";
import { startService } from "../../src/app/service";
import { findEnvironment } from "../../src/platform/database";
import { openTestDatabase, type TestDatabase } from "../support/database";

const ROOT = join(import.meta.dir, "../..");
const TIMEOUT_MS = 60_000;
const folder = mkdtempSync(join(tmpdir(), "sello-test-environment-"));

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, TIMEOUT_MS);
afterAll(async () => {
	await database.close();
	rmSync(folder, { recursive: true });
});

/** Starts and stops a service; answers why it did not start, if it did not. */
async function startIn(environment: string, role: string): Promise<unknown> {
	const settings = {
		...{ PORT: "0", DATA_DIR: folder, DATABASE_URL: database.url, LOG_LEVEL: "silent" },
		...{ ENVIRONMENT: environment, ROLE: role, AUTHORITY_URL: "http://127.0.0.1:9" },
	};
	try {
		await (await startService(await readConfig(settings, 1))).stop();
		return "started";
	} catch (error) {
		return explainStartupError(error);
	}
}

async function admin(words: string, environment?: string) {
	const { ENVIRONMENT: _, ...env } = process.env;
	const child = Bun.spawn([process.execPath, "scripts/admin.ts", ...words.split(" "), "--json"], {
		cwd: ROOT,
		env: {
			...{ ...env, DATABASE_URL: database.url, DATA_DIR: folder, AUTHORITY_URL: "http://127.0.0.1:9" },
			...(environment ? { ENVIRONMENT: environment } : {}),
		},
		stdout: "pipe",
		stderr: "pipe",
	});
	const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	return { exitCode: await child.exited, stdout, stderr };
}

test(
	"a database belongs to its first environment, and other processes are refused",
	async () => {
		// It issues nothing, so it says nothing of what the database is.
		expect(await startIn("staging", "registry")).toBe("started");
		expect(await findEnvironment(database.sql)).toBeUndefined();
		expect(await startIn("staging", "worker")).toBe("started");
		for (const role of ["worker", "api", "all", "registry"]) {
			expect(await startIn("sandbox", role)).toBe(
				"the database is of the environment staging, this process is sandbox: set ENVIRONMENT=staging, or give it a database of its own",
			);
		}
		// The demo key, which everybody knows, is not there.
		expect(await database.sql`select 1 from api_keys`).toHaveLength(0);
		expect(await startIn("staging", "api")).toBe("started");
	},
	TIMEOUT_MS,
);

test(
	"operator commands use the database's environment and refuse another",
	async () => {
		const made = await admin("keys create --plan free --label first");
		expect(made).toMatchObject({ exitCode: 0, stderr: "" });
		expect(JSON.parse(made.stdout)).toMatchObject({
			environment: "staging",
			prefix: expect.stringMatching(/^ak_stg_/),
		});
		const refused = await admin("keys create --plan free --label second", "sandbox");
		expect(refused).toMatchObject({ exitCode: 1, stdout: "" });
		expect(refused.stderr).toStartWith("the database is of the environment staging, this process is sandbox:");
	},
	TIMEOUT_MS,
);

test("only the tables' owner can change the environment of a database", async () => {
	const { sql, owner } = database;
	const [known] = await sql`select environment from deployment`;
	for (const change of ["update deployment set environment = 'production'", "delete from deployment"]) {
		await expect(sql.unsafe(change)).rejects.toThrow("permission denied for table deployment");
	}
	await owner`update deployment set environment = 'production'`;
	expect(await findEnvironment(sql)).toBe("production");
	await owner`update deployment set environment = ${known?.environment}`;
});
