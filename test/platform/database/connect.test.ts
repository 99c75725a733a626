import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { connect as connectSocket, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, isConnectionFailure } from "../../../src/platform/database";
import { openTestDatabase, type TestDatabase } from "../../support/database";

let database: TestDatabase;
let sockets: Server;
const folder = mkdtempSync(join(tmpdir(), "sello-test-socket-"));
beforeAll(async () => {
	database = await openTestDatabase();
	const port = Number(new URL(database.url).port);
	// The embedded server has no socket of that kind, so one is put before it.
	sockets = createServer((client) => {
		const server = connectSocket(port, "127.0.0.1");
		client.pipe(server).pipe(client);
		for (const end of [client, server]) end.on("error", () => undefined);
	});
	await new Promise<void>((listening) => sockets.listen(join(folder, ".s.PGSQL.5432"), listening));
});
afterAll(async () => {
	sockets.close();
	await database.close();
	rmSync(folder, { recursive: true });
});

async function settingsAt(url: string) {
	const sql = connect({ url, name: "sello test", connectionsMax: 1, statementTimeoutMs: 7_000 });
	try {
		const [row] = await sql`
			select current_setting('application_name') as name, current_setting('TimeZone') as zone,
				current_setting('statement_timeout') as timeout, current_setting('work_mem') as "workMem",
				current_setting('jit') as jit`;
		return { ...row };
	} finally {
		await sql.end({ timeout: 1 });
	}
}

const OWN = { name: "sello test", zone: "UTC", timeout: "7s", jit: "off" };

test("no statement is compiled, however dear the planner takes it for", async () => {
	const { jit } = await settingsAt(database.url);
	expect(jit).toBe("off");
});

test.each([
	"application_name=erp&TimeZone=Asia/Tokyo&statement_timeout=1",
	"timezone=Asia/Tokyo&STATEMENT_TIMEOUT=1&jit=on",
	`options=${encodeURIComponent("-c TimeZone=Asia/Tokyo -c application_name=erp -c statement_timeout=1")}`,
])("an address with ?%s does not move what the service sets itself", async (query) => {
	expect(await settingsAt(`${database.url}?${query}`)).toMatchObject(OWN);
});

test("what the service does not set stays the operator's, spaces in options too", async () => {
	const options = encodeURIComponent("-c work_mem=5MB -c role=none");
	const reported = await settingsAt(`${database.url}?TimeZone=Asia/Tokyo&options=${options}&sslmode=prefer`);
	expect(reported).toEqual({ ...OWN, workMem: "5MB" });
});

/** The test database's address by a socket directory, with the host and the query as given. */
function bySocket(host: string, query = ""): string {
	const { username, password, pathname } = new URL(database.url);
	return `postgres://${username}:${password}@${host}${pathname}${query}`;
}

test("a socket directory works as the host and in the query", async () => {
	expect(await settingsAt(bySocket(encodeURIComponent(folder)))).toMatchObject(OWN);
	expect(await settingsAt(bySocket("localhost", `?host=${folder}&TimeZone=Asia/Tokyo`))).toMatchObject(OWN);
});

test("a socket that is not there is a database that is away", async () => {
	const error = await settingsAt(bySocket(encodeURIComponent(join(folder, "none")))).catch((e: unknown) => e);
	expect(isConnectionFailure(error)).toBe(true);
});
