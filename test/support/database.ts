/** A real PostgreSQL for tests: one embedded server a run, one database a test file, cloned from a migrated template. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type EmbeddedPostgres, migrate, type Sql, startEmbeddedPostgres } from "../../src/database";

import { atEnd } from "./at-end";

export type TestDatabase = { readonly sql: Sql; readonly url: string; readonly close: () => Promise<void> };

type Server = { readonly postgres: EmbeddedPostgres; readonly admin: Sql; readonly dataDir: string };

let starting: Promise<Server> | undefined;
let count = 0;

/** A fresh database with every migration applied. */
export async function openTestDatabase(): Promise<TestDatabase> {
	const { admin, postgres } = await startTestServer();
	const name = `test_${process.pid}_${count++}`;
	await admin.unsafe(`create database ${name} template sello_template`);
	const url = postgres.url.replace(/\/postgres$/, `/${name}`);
	const sql = connect({ url, name, connectionsMax: 10 });
	return {
		sql,
		url,
		close: async () => {
			await sql.end({ timeout: 2 });
			await admin.unsafe(`drop database ${name} with (force)`);
		},
	};
}

/** The run's server; started once. */
export function startTestServer(): Promise<Server> {
	if (!starting) {
		starting = start();
		atEnd(stopTestServer);
	}
	return starting;
}

async function stopTestServer(): Promise<void> {
	if (!starting) return;
	const { admin, postgres, dataDir } = await starting;
	starting = undefined;
	await admin.end({ timeout: 2 });
	await postgres.stop();
	rmSync(dataDir, { recursive: true, force: true });
}

async function start(): Promise<Server> {
	const dataDir = mkdtempSync(join(tmpdir(), "sello-test-postgres-"));
	const postgres = await startEmbeddedPostgres(dataDir);
	const admin = connect({ url: postgres.url, name: "tests", connectionsMax: 2 });
	await admin.unsafe("create database sello_template");
	const template = connect({
		url: postgres.url.replace(/\/postgres$/, "/sello_template"),
		name: "template",
		connectionsMax: 1,
	});
	await migrate(template);
	await template.end();
	return { postgres, admin, dataDir };
}
