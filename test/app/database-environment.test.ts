import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/app/config/read-config";
import { explainStartupError } from "../../src/app/explain-startup-error";
import { startService } from "../../src/app/service";
import { DEMO_TENANT_ID } from "../../src/identity/auth";
import { findEnvironment } from "../../src/platform/database";
import { addArchived } from "../support/archived";
import { openTestDatabase, type TestDatabase } from "../support/database";

const ROOT = join(import.meta.dir, "../..");
const MIGRATION = join(ROOT, "src/platform/database/migrations/0052_environment.sql");
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

test(
	"a database from before it was written down has no environment that is known",
	async () => {
		const older = await openTestDatabase();
		await older.owner`drop table deployment`;
		expect(await findEnvironment(older.sql)).toBeUndefined();
		await older.close();
	},
	TIMEOUT_MS,
);

test(
	"an old database belongs to the environment of its archive or oldest company",
	async () => {
		const { sql, owner } = database;
		const known = async () => (await sql`select environment from deployment`).map(({ environment }) => environment);
		const migrateAnew = async () => {
			await owner.unsafe("drop table deployment");
			await owner.unsafe(readFileSync(MIGRATION, "utf8"));
			return known();
		};
		expect(await migrateAnew()).toEqual([]);
		// What a start by mistake leaves behind.
		await owner`
			insert into companies (tenant_id, environment, authority_environment, rnc, name, plan, registry, settings)
			values (${DEMO_TENANT_ID}, 'sandbox', 'test', '990000131', 'EMPRESA DE DEMOSTRACION SRL', 'free', '{}', '{}')`;
		expect(await migrateAnew()).toEqual([]);
		await addArchived(owner, "production");
		await addArchived(owner, "sandbox");
		expect(await migrateAnew()).toEqual(["production"]);
		await owner`insert into archive_log (log_id, environment, made_at) values (${Buffer.alloc(16)}, 'staging', now())`;
		expect(await migrateAnew()).toEqual(["staging"]);
	},
	TIMEOUT_MS,
);
