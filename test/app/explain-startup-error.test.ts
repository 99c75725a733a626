/** What an operator reads where the service cannot start. */
import { expect, test } from "bun:test";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { explainStartupError } from "../../src/app/explain-startup-error";
import { openPublicListener, startMetricsListener } from "../../src/app/listeners/listeners";
import { holdDataDir, prepareDatabase, startEmbeddedPostgres } from "../../src/platform/database";
import { readOrMakeKek } from "../../src/platform/secrets";
import { startTestServer } from "../support/database";

function toldOf(start: () => unknown): unknown {
	try {
		return start();
	} catch (error) {
		return explainStartupError(error);
	}
}

const listenAt = (host: string, port = 0) =>
	openPublicListener({ host, port, processes: 1, reusePort: false, baseUrl: undefined });

test("a port that is taken is told with the setting that chooses another", async () => {
	const { port, stop } = listenAt("127.0.0.1");
	const metrics = () => startMetricsListener("127.0.0.1", port, async () => [], "text/plain");
	expect(toldOf(() => listenAt("127.0.0.1", port))).toBe(`port ${port} is in use: set PORT to another one`);
	expect(toldOf(metrics)).toBe(`port ${port} is in use: set METRICS_PORT to another one`);
	await stop("at-once");
});

test.each([
	["is none of this machine's", "203.0.113.9"],
	["has no address", "no host"],
])("a host that %s is told as what cannot be listened on, and not as the database's", (_, host) => {
	const told = toldOf(() => listenAt(host, 4_000));
	expect(told).toStartWith(`cannot listen on ${host}, port 4000; check HOST and PORT: `);
});

test("unusable data directories and key files are explained with their path", () => {
	const folder = mkdtempSync(join(tmpdir(), "sello-test-explain-"));
	const file = join(folder, "file");
	writeFileSync(file, "");
	for (const place of [file, join(file, "below")]) {
		const told = toldOf(() => holdDataDir(place));
		expect(told).toStartWith("a path of DATA_DIR or ARCHIVE_URL cannot be written: ");
		expect(told).toEndWith(`mkdir '${place}'`);
	}
	expect(toldOf(() => readOrMakeKek(file))).toBe(
		`expected ${file} to hold 32 bytes in base64, got 0; check KEK_FILE and DATA_DIR`,
	);
	rmSync(folder, { recursive: true });
});

test("a full disk is told in a sentence where the file was open already, too", () => {
	const file = openSync("/dev/full", "w");
	expect(toldOf(() => writeSync(file, "a"))).toStartWith(
		"a path of DATA_DIR or ARCHIVE_URL cannot be written: ENOSPC: ",
	);
	closeSync(file);
});

test("an embedded server that does not start is told in a sentence with what it says", async () => {
	const folder = mkdtempSync(join(tmpdir(), "sello-test-explain-"));
	mkdirSync(join(folder, "postgres"), { mode: 0o700 });
	writeFileSync(join(folder, "postgres/PG_VERSION"), "15");
	const told = await startEmbeddedPostgres(folder).catch(explainStartupError);
	expect(told).toBeString();
	expect(told).toStartWith("PostgreSQL did not start: ");
	rmSync(folder, { recursive: true });
});

test.each([
	["a password", { password: "another" }, "password authentication failed"],
	["a database", { pathname: "/nowhere" }, 'database "nowhere" does not exist'],
	["a role", { search: "?options=-c%20role%3Dnobody_at_all" }, 'role "nobody_at_all" does not exist'],
	["a setting", { search: "?nonsense=1" }, 'unrecognized configuration parameter "nonsense"'],
	["a write", { search: "?default_transaction_read_only=on" }, "in a read-only transaction"],
])(
	"%s that the database's server does not take is told in a sentence",
	async (_, wrong, told) => {
		const { postgres } = await startTestServer();
		const { href: url } = Object.assign(new URL(postgres.url), wrong);
		const failure = await prepareDatabase({ url, isStrict: false }).catch(explainStartupError);
		expect(failure).toMatch(/^the database (?:server cannot work)|^cannot connect to the database of DATABASE_URL: /);
		expect(failure).toContain(told);
	},
	60_000,
);
