/** The smoke run for a cluster of Citus, on a database with the stub: the service issues and archives with its functions in the form for Citus. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { ROOT } from "../../support/processes";
import { installCitusStub } from "./support/citus-stub";

const TIMEOUT_MS = 60_000;

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, TIMEOUT_MS);
afterAll(() => database.close());

async function runSmoke(url: string) {
	const child = Bun.spawn([process.execPath, "scripts/citus-smoke.ts", url], {
		cwd: ROOT,
		stdout: "pipe",
		stderr: "pipe",
	});
	const [said, complaint] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	return { code: await child.exited, said, complaint };
}

test(
	"a database without Citus is refused with a sentence",
	async () => {
		const { code, complaint } = await runSmoke(database.ownerUrl);
		expect(code).toBe(2);
		expect(complaint).toStartWith("DATABASE_ENGINE=citus, but the database lacks the extension citus:");
	},
	TIMEOUT_MS,
);

test(
	"documents come from POST to proof with the functions in the form for Citus",
	async () => {
		await installCitusStub(database.owner);
		const { code, said } = await runSmoke(database.ownerUrl);
		expect(said).not.toContain("VIOLATION");
		expect(code).toBe(0);
		const report = JSON.parse(said.trim().split("\n").at(-1) ?? "") as Record<string, number>;
		expect(report).toMatchObject({ accepted: report.documents, archived: report.documents, companies: 6 });
		const functions =
			await database.owner`select from pg_proc where proname = 'look_up' and prosrc like '%any(tenant_ids) and%'`;
		expect(functions).toHaveLength(1);
	},
	TIMEOUT_MS,
);
