import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/app/config/read-config";
import { explainStartupError } from "../../src/app/explain-startup-error";
import { startService } from "../../src/app/service";
import {
	connect,
	DatabaseRoleError,
	findServiceUrl,
	migrate,
	type PreparedDatabase,
	prepareDatabase,
	type Sql,
} from "../../src/platform/database";
import { addArchived } from "../support/archived";
import { startTestServer } from "../support/database";

const TIMEOUT_MS = 120_000;
const PASSWORD = "of-a-test";
const IDS = { app: `app_${process.pid}`, service: `svc_${process.pid}`, stranger: `stranger_${process.pid}` };

let admin: Sql;
let serverUrl: string;
let databases = 0;
const made: string[] = [];

beforeAll(async () => {
	const server = await startTestServer();
	admin = server.admin;
	serverUrl = server.postgres.url;
	for (const name of Object.values(IDS)) await admin.unsafe(`create role ${name} login password '${PASSWORD}'`);
}, TIMEOUT_MS);

afterAll(async () => {
	for (const name of made) await admin.unsafe(`drop database ${name} with (force)`);
	for (const name of made) await admin.unsafe(`drop role if exists sello_service_${name}`);
	for (const name of Object.values(IDS)) await admin.unsafe(`drop role ${name}`);
});

/** A database of one login, as many a provider gives it. */
async function createDatabase(): Promise<string> {
	const name = `prepare_${process.pid}_${databases++}`;
	await admin.unsafe(`create database ${name} owner ${IDS.app}`);
	made.push(name);
	return name;
}

function addressOf(database: string, login: string = IDS.app): string {
	const url = new URL(serverUrl);
	url.pathname = `/${database}`;
	url.username = login;
	url.password = PASSWORD;
	return url.href;
}

async function on<T>(url: string, use: (sql: Sql) => Promise<T>): Promise<T> {
	const sql = connect({ url, name: "test prepare", connectionsMax: 1 });
	try {
		return await use(sql);
	} finally {
		await sql.end({ timeout: 2 });
	}
}

const ask = (url: string, text: string) => on(url, async (sql) => [...(await sql.unsafe(text))]);
const messageOf = (work: Promise<unknown>) =>
	work.then(
		() => "no error",
		(error: Error) => error.message,
	);

/** An archived document can be added there, and none be deleted. */
async function expectKept({ url }: PreparedDatabase): Promise<void> {
	await on(url, (sql) => addArchived(sql, "production"));
	for (const text of ["delete from seals", "update audit set action = ''", "truncate tree_blocks"]) {
		expect(await messageOf(ask(url, text))).toMatch(/^permission denied for table/);
	}
}

test(
	"behind a pooler the login has the settings; both addresses lead to one database",
	async () => {
		const [url, elsewhere] = [addressOf(await createDatabase()), addressOf(await createDatabase())];
		const prepared = await prepareDatabase({ url, directUrl: url, isStrict: false });
		expect(prepared.url).toBe(url);
		expect(prepared.remarks.join()).toMatch(/^the role app_\d+ of DATABASE_URL could change .* triggers alone keep/);
		const sql = connect({ url, name: "test prepare", connectionsMax: 1, isPooled: true });
		const [row] = await sql`
			select current_setting('jit') as jit, current_setting('statement_timeout') as statement,
				current_setting('idle_in_transaction_session_timeout') as idle, current_setting('TimeZone') as zone`;
		await sql.end();
		expect({ ...row }).toEqual({ jit: "off", statement: "30s", idle: "10s", zone: "UTC" });
		expect(await messageOf(prepareDatabase({ url, directUrl: url, isStrict: true }))).toContain("a role of its own");
		expect(await messageOf(prepareDatabase({ url, directUrl: elsewhere, isStrict: false }))).toEndWith(
			"must lead to the same database with the same login: the database differs",
		);
	},
	TIMEOUT_MS,
);

test(
	"a database with one login gets a remark, and is refused with strict rights",
	async () => {
		const url = addressOf(await createDatabase());
		await on(url, (sql) => migrate(sql));
		const { remarks, ...prepared } = await prepareDatabase({ url, isStrict: false });
		expect(prepared.url).toBe(url);
		expect(remarks.join()).toMatch(/^the role app_\d+ of DATABASE_URL could change .* triggers alone keep/);
		expect(await findServiceUrl(url)).toBe(url);

		const dataDir = mkdtempSync(join(tmpdir(), "sello-prepare-"));
		const settings = {
			PORT: "0",
			DATA_DIR: dataDir,
			DATABASE_URL: url,
			DATABASE_RIGHTS: "strict",
			LOG_LEVEL: "silent",
		};
		const refusal = await startService(await readConfig(settings, 1)).catch((error: unknown) =>
			explainStartupError(error),
		);
		rmSync(dataDir, { recursive: true });
		expect(refusal).toMatch(
			/^the role app_\d+ of DATABASE_URL could change what is written once, it has .*ownership of the tables.*: give DATABASE_URL a role of its own and set DATABASE_MIGRATION_URL/,
		);
	},
	TIMEOUT_MS,
);

test(
	"a login's connections are the least of the three limits",
	async () => {
		const database = await createDatabase();
		const url = addressOf(database);
		const allowed = async () => (await prepareDatabase({ url, isStrict: false })).connections;
		const servers = await allowed();
		expect(servers).toBeGreaterThan(100);
		try {
			await admin.unsafe(`alter role ${IDS.app} connection limit 9`);
			expect(await allowed()).toBe(9);
			await admin.unsafe(`alter database ${database} connection limit 7`);
			expect(await allowed()).toBe(7);
		} finally {
			await admin.unsafe(`alter role ${IDS.app} connection limit -1`);
		}
		expect(await allowed()).toBe(7);
	},
	TIMEOUT_MS,
);

test(
	"a login that may create roles works under a role of its database",
	async () => {
		const database = await createDatabase();
		const url = addressOf(database);
		await admin.unsafe(`alter role ${IDS.app} createrole`);
		try {
			const prepared = await prepareDatabase({ url, isStrict: true });
			const role = `sello_service_${database}`;
			const resets = "do $$ begin reset role; end $$";
			expect(await ask(prepared.url, `${resets}; select current_user as role`)).toContainEqual([{ role }]);
			expect(prepared.remarks.join()).toContain("may leave the role");
			await expectKept(prepared);
			expect(await findServiceUrl(url)).toBe(prepared.url);
			// A child process of the service is given that address.
			expect(await prepareDatabase({ url: prepared.url, isStrict: true })).toMatchObject({ url: prepared.url });
			expect((await prepareDatabase({ url, isStrict: true })).url).toBe(prepared.url);
		} finally {
			await admin.unsafe(`alter role ${IDS.app} nocreaterole`);
		}
	},
	TIMEOUT_MS,
);

test(
	"a role that an administrator has made and given to the only login is taken",
	async () => {
		const database = await createDatabase();
		await admin.unsafe(`create role sello_service_${database}; grant sello_service_${database} to ${IDS.app}`);
		const prepared = await prepareDatabase({ url: addressOf(database), isStrict: true });
		expect(prepared.url).toContain(`sello_service_${database}`);
		await expectKept(prepared);
	},
	TIMEOUT_MS,
);

test(
	"with two logins one migrates and grants, and the other has just enough rights",
	async () => {
		const database = await createDatabase();
		const addresses = { url: addressOf(database, IDS.service), migrationUrl: addressOf(database), isStrict: true };
		// Before the grants, with a right too many.
		await on(addresses.migrationUrl, (sql) => migrate(sql));
		await ask(addresses.migrationUrl, `grant all on all tables in schema public to ${IDS.service}`);
		const prepared = await prepareDatabase(addresses);
		expect(prepared).toMatchObject({ url: addresses.url, remarks: [] });
		await expectKept(prepared);
		expect(await findServiceUrl(addresses.url)).toBe(addresses.url);
		for (const taking of [`set role ${IDS.app}`, `set session authorization ${IDS.app}`]) {
			expect(await messageOf(ask(addresses.url, taking))).toMatch(/^permission denied/);
		}

		// Without the owner's address the same database is served as it is.
		expect(await prepareDatabase({ url: addresses.url, isStrict: true })).toEqual(prepared);
		await ask(addresses.migrationUrl, "grant update (bytes) on seals to public");
		const refusal = messageOf(prepareDatabase({ url: addresses.url, isStrict: true }));
		expect(await refusal).toContain("it has UPDATE on seals:");
		await prepareDatabase(addresses);
		await ask(addresses.migrationUrl, `revoke insert on outbox from ${IDS.service}`);
		expect(await messageOf(prepareDatabase({ url: addresses.url, isStrict: false }))).toContain(
			"lacks INSERT on outbox: start once with DATABASE_MIGRATION_URL",
		);
		await ask(addresses.migrationUrl, "delete from schema_migrations");
		expect(await messageOf(prepareDatabase({ url: addresses.url, isStrict: false }))).toMatch(
			/this code needs \d+, and the role svc_\d+ of DATABASE_URL may not migrate: set DATABASE_MIGRATION_URL$/,
		);
	},
	TIMEOUT_MS,
);

test(
	"logins without the necessary rights get an error that names them",
	async () => {
		const [database, other] = [await createDatabase(), await createDatabase()];
		const refusals: [Parameters<typeof prepareDatabase>[0], RegExp][] = [
			[
				{ url: addressOf(database, IDS.stranger), isStrict: false },
				/^the database is at migration 0, this code needs \d+, and the role stranger_\d+ of DATABASE_URL may not migrate: set DATABASE_MIGRATION_URL$/,
			],
			[
				{ url: addressOf(database), migrationUrl: addressOf(database, IDS.stranger), isStrict: false },
				/^the role stranger_\d+ of DATABASE_MIGRATION_URL may not make tables/,
			],
			[
				{ url: addressOf(other, IDS.service), migrationUrl: addressOf(database), isStrict: false },
				/^DATABASE_URL names the database prepare_\d+_\d+, DATABASE_MIGRATION_URL prepare_\d+_\d+: they must be the same$/,
			],
			[
				{ url: serverUrl.replace(/\/postgres$/, `/${database}`), migrationUrl: addressOf(database), isStrict: true },
				/^the role sello of DATABASE_URL could change what is written once, it has SUPERUSER, .*: give DATABASE_URL a role of its own/,
			],
			[
				{ url: addressOf(database, IDS.stranger), isStrict: false },
				/^the role stranger_\d+ of DATABASE_URL may not read the database's tables: start once with DATABASE_MIGRATION_URL/,
			],
		];
		for (const [addresses, sentence] of refusals) {
			const refusal = prepareDatabase(addresses).catch((error: unknown) => error);
			expect(await refusal).toBeInstanceOf(DatabaseRoleError);
			expect(explainStartupError(await refusal)).toMatch(sentence);
		}
	},
	TIMEOUT_MS,
);
