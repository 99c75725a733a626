/**
 * A real PostgreSQL for tests: one embedded server per run, one database per test file, cloned from a migrated template.
 *
 * Its files lie in memory when there is room, because creating and dropping hundreds of databases is mostly waiting for the disk. Data there
 * survives a killed process; tests do not cover a power failure.
 *
 * The tests of any file run on another server with `TEST_POSTGRES_URL`, the address of its database `postgres` for a superuser.
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
	/** Connected under the service's role. */
	readonly sql: Sql;
	readonly url: string;
	/** Connected under the role that owns the tables: for changes that the service may not make. */
	readonly owner: Sql;
	readonly ownerUrl: string;
	readonly close: () => Promise<void>;
};

type Server = {
	readonly postgres: EmbeddedPostgres;
	readonly admin: Sql;
	/** What the tests' databases are copied from. */
	readonly template: string;
	readonly dataDir: string;
};

const PREFIX = "sello-test-postgres-";
/** Test files leave their pools open until the process ends. */
const CONNECTIONS = 400;

const ELSEWHERE = process.env.TEST_POSTGRES_URL ?? "";
const isElsewhere = ELSEWHERE !== "";

let starting: Promise<Server> | undefined;
let count = 0;

/** A fresh database with every migration applied. */
export async function openTestDatabase(): Promise<TestDatabase> {
	const { admin, postgres, template } = await startTestServer();
	const name = `test_${process.pid}_${count++}`;
	// Copies files instead of logging each page: half the processor time, and the server needs no log to start again.
	await admin.unsafe(`create database ${name} template ${template} strategy file_copy`);
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

/** The server of the run, started once. */
export function startTestServer(): Promise<Server> {
	if (!starting) {
		starting = start();
		atEnd(stopTestServer);
	}
	return starting;
}

async function stopTestServer(): Promise<void> {
	if (!starting) return;
	const { admin, postgres, template, dataDir } = await starting;
	starting = undefined;
	if (isElsewhere) await admin.unsafe(`drop database ${template}`);
	await admin.end({ timeout: 2 });
	await postgres.stop();
	rmSync(dataDir, { recursive: true, force: true });
}

async function start(): Promise<Server> {
	const inMemory = findMemoryFolder(PREFIX);
	const dataDir = mkdtempSync(join(inMemory ?? tmpdir(), `${PREFIX}${process.pid}-`));
	const postgres = await (isElsewhere ? openElsewhere() : startEmbeddedPostgres(dataDir, { connections: CONNECTIONS }));
	const admin = connect({ url: postgres.url, name: "tests", connectionsMax: 2 });
	if (inMemory !== undefined && !isElsewhere) {
		// The write-ahead log may otherwise grow to a gigabyte.
		await admin.unsafe("alter system set max_wal_size = '128MB'");
		await admin.unsafe("select pg_reload_conf()");
	}
	// Several processes may share a server that is elsewhere.
	const template = isElsewhere ? `sello_template_${process.pid}` : "sello_template";
	await admin.unsafe(`create database ${template}`);
	await prepareDatabase({
		url: within(postgres.serviceUrl, template),
		migrationUrl: within(postgres.url, template),
		isStrict: true,
	});
	return { postgres, admin, template, dataDir };
}

async function openElsewhere(): Promise<EmbeddedPostgres> {
	const login = `test_service_${process.pid}_${Date.now().toString(36)}`;
	const admin = connect({ url: ELSEWHERE, name: "tests", connectionsMax: 1 });
	await admin.unsafe(`create role ${login} login password '${login}'`);
	await admin.end();
	const service = new URL(ELSEWHERE);
	service.username = login;
	service.password = login;
	return {
		...{ url: ELSEWHERE, serviceUrl: service.href, pid: 0 },
		lost: new Promise<never>(() => undefined),
		stop: () => Promise.resolve(),
	};
}

function within(serverUrl: string, database: string): string {
	return serverUrl.replace(/\/postgres$/, `/${database}`);
}
