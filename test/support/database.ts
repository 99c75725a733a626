/**
 * A real PostgreSQL for tests: one embedded server a run, one database a test file, cloned from a migrated template.
 *
 * It lies in memory where there is room: to make, write to and drop hundreds of databases is otherwise mostly waiting for the disk. What
 * holds when a process is killed holds there as well; what holds when the power goes is not for tests to show.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	connect,
	type EmbeddedPostgres,
	prepareDatabase,
	type Sql,
	startEmbeddedPostgres,
} from "../../src/platform/database";

import { atEnd } from "./at-end";
import { findMemoryFolder } from "./memory-folder";

export type TestDatabase = {
	/** Under the service's role, as the service. */
	readonly sql: Sql;
	readonly url: string;
	/** Under the role that owns the tables: for tests that make tables, or do to rows what the service may not. */
	readonly owner: Sql;
	readonly ownerUrl: string;
	readonly close: () => Promise<void>;
};

type Server = { readonly postgres: EmbeddedPostgres; readonly admin: Sql; readonly dataDir: string };

const PREFIX = "sello-test-postgres-";
/** Files that one process runs leave pools open until its end. */
const CONNECTIONS = 400;

let starting: Promise<Server> | undefined;
let count = 0;

/** A fresh database with every migration applied. */
export async function openTestDatabase(): Promise<TestDatabase> {
	const { admin, postgres } = await startTestServer();
	const name = `test_${process.pid}_${count++}`;
	await admin.unsafe(`create database ${name} template sello_template`);
	const [url, ownerUrl] = [within(postgres.serviceUrl, name), within(postgres.url, name)];
	const sql = connect({ url, name, connectionsMax: 10 });
	const owner = connect({ url: ownerUrl, name: `${name} owner`, connectionsMax: 4 });
	return {
		...{ sql, url, owner, ownerUrl },
		close: async () => {
			await Promise.all([sql.end({ timeout: 2 }), owner.end({ timeout: 2 })]);
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
	const inMemory = findMemoryFolder(PREFIX);
	const dataDir = mkdtempSync(join(inMemory ?? tmpdir(), `${PREFIX}${process.pid}-`));
	const postgres = await startEmbeddedPostgres(dataDir, { connections: CONNECTIONS });
	const admin = connect({ url: postgres.url, name: "tests", connectionsMax: 2 });
	if (inMemory !== undefined) {
		// Its log of changes may otherwise grow to a gigabyte.
		await admin.unsafe("alter system set max_wal_size = '128MB'");
		await admin.unsafe("select pg_reload_conf()");
	}
	await admin.unsafe("create database sello_template");
	await prepareDatabase({
		url: within(postgres.serviceUrl, "sello_template"),
		migrationUrl: within(postgres.url, "sello_template"),
		isStrict: true,
	});
	return { postgres, admin, dataDir };
}

function within(serverUrl: string, database: string): string {
	return serverUrl.replace(/\/postgres$/, `/${database}`);
}
