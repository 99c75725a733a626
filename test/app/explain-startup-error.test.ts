/** Explanations of a failed start for the operator. */
import { expect, test } from "bun:test";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { explainStartupError } from "../../src/app/explain-startup-error";
import { openPublicListener, startMetricsListener } from "../../src/app/listeners/listeners";
import { lockDataDir, prepareDatabase, startEmbeddedPostgres } from "../../src/platform/database";
import { readOrMakeKek } from "../../src/platform/secrets";
import { startTestServer } from "../support/database";

function explanationOf(start: () => unknown): unknown {
	try {
		return start();
	} catch (error) {
		return explainStartupError(error);
	}
}

const listenAt = (host: string, port = 0) =>
	openPublicListener({ host, port, portSharing: "alone", isReplacing: false, baseUrl: undefined });

test("a port in use is explained with the setting that changes it", async () => {
	const { port, stop } = listenAt("127.0.0.1");
	const at = { host: "127.0.0.1", metricsPort: port, portSharing: "first" } as const;
	const metrics = () => startMetricsListener(at, async () => [], "text/plain");
	expect(explanationOf(() => listenAt("127.0.0.1", port))).toBe(`port ${port} is in use: set PORT to another one`);
	expect(explanationOf(metrics)).toBe(`port ${port} is in use: set METRICS_PORT to another one`);
	await stop("at-once");
});

test.each([
	["is none of this machine's", "203.0.113.9"],
	["has no address", "no host"],
])("a host that %s is explained as a listen error, not as a database error", (_, host) => {
	const found = explanationOf(() => listenAt(host, 4_000));
	expect(found).toStartWith(`cannot listen on ${host}, port 4000; check HOST and PORT: `);
});

test("unusable data directories and key files are explained with their path", () => {
	const folder = mkdtempSync(join(tmpdir(), "sello-test-explain-"));
	const file = join(folder, "file");
	writeFileSync(file, "");
	for (const place of [file, join(file, "below")]) {
		const found = explanationOf(() => lockDataDir(place));
		expect(found).toStartWith("a path of DATA_DIR or ARCHIVE_URL cannot be written: ");
		expect(found).toEndWith(`mkdir '${place}'`);
	}
	expect(explanationOf(() => readOrMakeKek(file))).toBe(
		`expected ${file} to hold 32 bytes in base64, got 0; check KEK_FILE and DATA_DIR`,
	);
	rmSync(folder, { recursive: true });
});

test("a full disk is explained for an open file too", () => {
	const file = openSync("/dev/full", "w");
	expect(explanationOf(() => writeSync(file, "a"))).toStartWith(
		"a path of DATA_DIR or ARCHIVE_URL cannot be written: ENOSPC: ",
	);
	closeSync(file);
});

test("an embedded server that does not start is explained with its message", async () => {
	const folder = mkdtempSync(join(tmpdir(), "sello-test-explain-"));
	mkdirSync(join(folder, "postgres"), { mode: 0o700 });
	writeFileSync(join(folder, "postgres/PG_VERSION"), "15");
	const found = await startEmbeddedPostgres(folder).catch(explainStartupError);
	expect(found).toBeString();
	expect(found).toStartWith("PostgreSQL did not start: ");
	rmSync(folder, { recursive: true });
});

test("an address that does not answer is explained with its own setting", async () => {
	const { postgres } = await startTestServer();
	const { url } = postgres;
	const { href: wrong } = Object.assign(new URL(url), { password: "another" });
	const explain = (addresses: Omit<Parameters<typeof prepareDatabase>[0], "isStrict">) =>
		prepareDatabase({ ...addresses, isStrict: false }).catch(explainStartupError);
	for (const [addresses, setting] of [
		[{ url: wrong }, "DATABASE_URL"],
		[{ url, migrationUrl: wrong }, "DATABASE_MIGRATION_URL"],
		[{ url, directUrl: wrong }, "DATABASE_DIRECT_URL"],
		[{ url: wrong, migrationUrl: url }, "DATABASE_URL"],
	] as const)
		expect(await explain(addresses)).toStartWith(`cannot connect to the database of ${setting}: password`);
}, 60_000);

test.each([
	["a password", { password: "another" }, "password authentication failed"],
	["a database", { pathname: "/nowhere" }, 'database "nowhere" does not exist'],
	["a role", { search: "?options=-c%20role%3Dnobody_at_all" }, 'role "nobody_at_all" does not exist'],
	["a setting", { search: "?nonsense=1" }, 'unrecognized configuration parameter "nonsense"'],
	["a write", { search: "?default_transaction_read_only=on" }, "in a read-only transaction"],
])(
	"%s that the database server refuses is explained",
	async (_, wrong, found) => {
		const { postgres } = await startTestServer();
		const { href: url } = Object.assign(new URL(postgres.url), wrong);
		const failure = await prepareDatabase({ url, isStrict: false }).catch(explainStartupError);
		expect(failure).toMatch(/^the database (?:server cannot work)|^cannot connect to the database of DATABASE_URL: /);
		expect(failure).toContain(found);
	},
	60_000,
);
