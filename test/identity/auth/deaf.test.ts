/** A process that reads no changes, although its connections are open, as behind a firewall that has forgotten them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Access, openAccess } from "../../../src/identity/auth";
import { type ChangeFeed, openChangeFeed } from "../../../src/platform/changes";
import { connect, type Sql } from "../../../src/platform/database";
import { type Credentials, NEEDS_BEARER, NEEDS_KEY } from "../../../src/platform/operation";
import { startTcpProxy, type TcpProxy } from "../../support/tcp-proxy";
import {
	BASE_URL,
	envelope,
	log,
	openTestAccess,
	problemOf,
	requestWith,
	send,
	type TestAccess,
	tokensOf,
	until,
} from "./support/access";

let t: TestAccess;
let proxy: TcpProxy;
let silentSql: Sql;
let changes: ChangeFeed;
let deafSql: Sql;
let deaf: Access;
beforeAll(async () => {
	t = await openTestAccess();
	deafSql = connect({ url: t.database.url, name: "deaf", connectionsMax: 3 });
	const url = new URL(t.database.url);
	proxy = await startTcpProxy({ port: Number(url.port) });
	url.port = String(proxy.port);
	silentSql = connect({ url: url.href, name: "silent", connectionsMax: 2 });
	changes = await openChangeFeed({ sql: silentSql, log });
	proxy.add("downstream", { type: "timeout", timeoutMs: 0 });
	const deps = { sql: deafSql, changes, envelope, baseUrl: BASE_URL, clock: t.clock, log };
	deaf = await openAccess({ ...deps, environment: "sandbox" });
});
afterAll(async () => {
	await deaf.close();
	await changes.close();
	await silentSql.end({ timeout: 0 });
	await proxy.stop();
	await deafSql.end({ timeout: 1 });
	await t.close();
});

const ask = (credentials: { key?: string; bearer?: string }, need: Credentials) =>
	deaf.authenticate(requestWith(credentials), need, "");

function keyIdOf(token: string): unknown {
	const [header = ""] = token.split(".");
	return JSON.parse(Buffer.from(header, "base64url").toString()).kid;
}

/** It knows the caller; then the other process ends the credential, and it must come to refuse it by itself. */
async function expectEnded(ask: () => Promise<unknown>, end: () => Promise<unknown>): Promise<void> {
	expect(await ask()).toBeDefined();
	await end();
	await until(async () => {
		try {
			await ask();
			return false;
		} catch {
			return true;
		}
	}, 60_000);
	expect((await problemOf(ask())).slug).toBe("unauthorised");
}

test("it refuses keys, tokens and clients that another process has ended", async () => {
	const company = await t.makeCompany();
	await expectEnded(
		() => ask({ key: company.key.key }, NEEDS_KEY),
		() => t.access.revokeKey(company.key.id),
	);
	const [one, two] = [await tokensOf(t.access, company), await tokensOf(t.access, company)];
	await expectEnded(
		() => ask({ bearer: one.access }, NEEDS_BEARER),
		() => t.send("postRevoke", { token: one.access }),
	);
	await expectEnded(
		() => ask({ bearer: two.access }, NEEDS_BEARER),
		() => t.access.rotateSigningKey({ atOnce: true }),
	);
	const three = await tokensOf(t.access, company);
	await expectEnded(
		() => ask({ bearer: three.access }, NEEDS_BEARER),
		() => t.sql.begin((tx) => t.access.retireClients(tx, company.tenantId, t.clock.now())),
	);
});

test("it comes to sign with the key that another process has made", async () => {
	const company = await t.makeCompany();
	const { kid } = await t.access.rotateSigningKey();
	const body = { grant_type: "client_credentials", client_id: company.clientId, client_secret: company.clientSecret };
	await until(async () => {
		const answer = await send(deaf, "postToken", body);
		return keyIdOf(String(answer.body.access_token)) === kid;
	}, 60_000);
});

test("a process that ended the former signing keys signs with the new one at once", async () => {
	const company = await t.makeCompany();
	for (let round = 0; round < 5; round += 1) {
		const { kid } = await deaf.rotateSigningKey({ atOnce: true });
		const { access } = await tokensOf(deaf, company);
		expect(keyIdOf(access)).toBe(kid);
		expect(await ask({ bearer: access }, NEEDS_BEARER)).toBeDefined();
	}
});
