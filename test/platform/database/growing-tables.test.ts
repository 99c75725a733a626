import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, migrate, type Sql } from "../../../src/platform/database";
import { startTestServer } from "../../support/database";

const DIRECTORY = join(import.meta.dir, "../../../src/platform/database/migrations");
const NAME = `growing_${process.pid}`;

let admin: Sql;
let url: string;
const before = mkdtempSync(join(tmpdir(), "sello-migrations-"));

beforeAll(async () => {
	const server = await startTestServer();
	admin = server.admin;
	await admin.unsafe(`create database ${NAME}`);
	url = Object.assign(new URL(server.postgres.url), { pathname: `/${NAME}` }).href;
	for (const file of readdirSync(DIRECTORY).filter((name) => name < "0044"))
		cpSync(join(DIRECTORY, file), join(before, file));
}, 120_000);

afterAll(async () => {
	rmSync(before, { recursive: true });
	await admin.unsafe(`drop database ${NAME} with (force)`);
});

test("growing tables are analysed after a third is new, unless configured", async () => {
	const sql = connect({ url, name: "test growing", connectionsMax: 1 });
	try {
		expect(await migrate(sql, { directory: before })).toBe(43);
		await sql`alter table outbox set (autovacuum_analyze_scale_factor = 0.05, fillfactor = 70)`;
		await sql`alter table events set (autovacuum_enabled = true)`;
		await migrate(sql);
		const rows = await sql<{ name: string; options: string[] | null }[]>`
			select relname as name, reloptions as options from pg_class
			where relname in ('invoices', 'idempotency_keys', 'outbox', 'events', 'companies')`;
		const reported = Object.fromEntries(rows.map(({ name, options }) => [name, options?.toSorted() ?? []]));
		expect(reported).toEqual({
			invoices: ["autovacuum_analyze_scale_factor=0.3"],
			idempotency_keys: ["autovacuum_analyze_scale_factor=0.3"],
			outbox: ["autovacuum_analyze_scale_factor=0.05", "fillfactor=70"],
			events: ["autovacuum_analyze_scale_factor=0.3", "autovacuum_enabled=true"],
			companies: [],
		});
	} finally {
		await sql.end();
	}
}, 120_000);
