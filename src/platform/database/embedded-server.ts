/**
 * The embedded server as a process: whether it is ready, and how to stop one that an earlier service left behind.
 *
 * A server that was killed replays its log before it is ready, and one that stops writes its buffers. Both may take minutes on a slow disk.
 * So a start waits, reports what it waits for, and can be aborted. A server that does not stop in time is killed, which loses nothing that
 * was committed.
 */
import type { ChildProcess } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedServerError, readEnd } from "./postgres-programs";

export type Waiting = {
	/** Called with a sentence when the start waits long. */
	readonly report?: (sentence: string) => void;
	/** Time between two reports. */
	readonly reportEveryMs?: number;
	readonly signal?: AbortSignal;
	/** How long a server may take to stop before it is killed. */
	readonly endsByItselfMs?: number;
};

const REPORT_EVERY_MS = 15_000;
const READY_MAX_MS = 15 * 60_000;
const ENDS_BY_ITSELF_MS = 10_000;
const ENDS_CUT_OFF_MS = 60_000;
/** How long an aborted start may take to stop it. */
const GIVEN_UP_MS = 3_000;
const LOOK_EVERY_MS = 20;

type Place = { readonly cluster: string; readonly port: number; readonly logPath: string };

/**
 * Reads the server's status file, as its own tools do, so no password is sent to another program on the same port. Throws:
 * EmbeddedServerError when the server ends first; the reason of `signal` once the server is stopped.
 */
export async function untilReady(child: ChildProcess, { cluster, port, logPath }: Place, on: Waiting): Promise<void> {
	// By the steady clock: a machine that has just booted often corrects its clock.
	const startedAt = performance.now();
	let reportedAt = startedAt;
	for (; !isReady(cluster, { pid: child.pid, port }); await Bun.sleep(LOOK_EVERY_MS)) {
		const now = performance.now();
		if (hasEnded(child)) throw new EmbeddedServerError(`PostgreSQL did not start: ${readEnd(logPath)}`);
		if (on.signal?.aborted) {
			await stop(child);
			throw on.signal.reason;
		}
		if (now > startedAt + READY_MAX_MS)
			throw new EmbeddedServerError(`PostgreSQL did not become ready: ${readEnd(logPath)}`);
		if (now > reportedAt + (on.reportEveryMs ?? REPORT_EVERY_MS)) {
			reportedAt = now;
			const seconds = Math.round((now - startedAt) / 1000);
			on.report?.(
				`PostgreSQL is not ready after ${seconds} s; after a crash it replays its log. Last log line: ${readEnd(logPath)}`,
			);
		}
	}
}

async function stop(child: ChildProcess): Promise<void> {
	child.kill("SIGINT");
	const deadline = performance.now() + GIVEN_UP_MS;
	while (!hasEnded(child) && performance.now() < deadline) await Bun.sleep(LOOK_EVERY_MS);
	// After a kill signal it ends after us if not before.
	child.kill("SIGQUIT");
}

export function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
	return exitCode !== null || signalCode !== null;
}

/**
 * Whether this server accepts connections. The port distinguishes it from a killed one, since process ids are reused. Source: PostgreSQL's
 * `postmaster.pid`: line 1 is its process, line 4 its port, line 8 its state.
 */
function isReady(cluster: string, { pid, port }: { readonly pid: number | undefined; readonly port: number }): boolean {
	const lines = readPidFile(cluster);
	return lines[0] === String(pid) && lines[3] === String(port) && lines[7]?.trim() === "ready";
}

/** Stops a server that outlived its service. Only a process that really runs on this cluster is touched. Throws: EmbeddedServerError. */
export async function stopOrphan(cluster: string, on: Waiting = {}): Promise<void> {
	const pid = Number(readPidFile(cluster)[0]);
	if (!Number.isInteger(pid) || pid <= 1 || !runsOn(pid, cluster)) return;
	signal(pid, "SIGINT");
	if (await endsWithin(on.endsByItselfMs ?? ENDS_BY_ITSELF_MS, pid, cluster, on.signal)) return;
	on.report?.(
		`PostgreSQL process ${pid} of an earlier start does not stop: killing it; the next start replays its log`,
	);
	signal(pid, "SIGQUIT");
	if (await endsWithin(ENDS_CUT_OFF_MS, pid, cluster, on.signal)) return;
	throw new EmbeddedServerError(`PostgreSQL process ${pid} on ${cluster} does not stop: kill it yourself`);
}

async function endsWithin(ms: number, pid: number, cluster: string, signal?: AbortSignal): Promise<boolean> {
	const deadline = performance.now() + ms;
	for (; runsOn(pid, cluster); await Bun.sleep(LOOK_EVERY_MS)) {
		signal?.throwIfAborted();
		if (performance.now() > deadline) return false;
	}
	return true;
}

function runsOn(pid: number, cluster: string): boolean {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(cluster);
	} catch {
		return false;
	}
}

function signal(pid: number, name: "SIGINT" | "SIGQUIT"): void {
	try {
		process.kill(pid, name);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
	}
}

/** Empty when the file is missing. A server that is just writing it may not have written every line. */
function readPidFile(cluster: string): string[] {
	try {
		return readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n");
	} catch {
		return [];
	}
}

/** Another living process works in the same data directory. */
export class DataDirLockedError extends Error {
	constructor(
		readonly dataDir: string,
		readonly pid: number,
		readonly since: string,
	) {
		super(`${dataDir} is in use by process ${pid} since ${since}: stop it, or start with another DATA_DIR`);
		this.name = "DataDirLockedError";
	}
}

const SETTLE_MS = 20;

type Holder = { pid: number; startTicks: string; since: string };

/**
 * Locks a data directory for this process; the result releases it. A dead holder is recognised by its process id and that process's start
 * time, since ids are reused. Throws: DataDirLockedError.
 */
export function lockDataDir(dataDir: string): () => void {
	mkdirSync(dataDir, { recursive: true, mode: 0o700 });
	const path = join(dataDir, "lock");
	const self: Holder = {
		pid: process.pid,
		startTicks: startTicksOf(process.pid) ?? "",
		since: new Date().toISOString(),
	};
	for (let attempt = 0; attempt < 10; attempt++) {
		try {
			const file = openSync(path, "wx", 0o600);
			writeSync(file, JSON.stringify(self));
			closeSync(file);
			// Two starters that found the same dead holder can each remove the other's lock: the last one written stays.
			Bun.sleepSync(SETTLE_MS);
			const holder = readHolder(path);
			if (holder?.pid !== self.pid) throw new DataDirLockedError(dataDir, holder?.pid ?? 0, holder?.since ?? "now");
			return () => rmSync(path, { force: true });
		} catch (error) {
			if ((error as { code?: string }).code !== "EEXIST") throw error;
		}
		const holder = readHolder(path);
		if (holder && isAlive(holder)) throw new DataDirLockedError(dataDir, holder.pid, holder.since);
		rmSync(path, { force: true });
	}
	throw new Error(`could not take ${path}`);
}

function readHolder(path: string): Holder | undefined {
	try {
		return JSON.parse(readFileSync(path, "utf8")) as Holder;
	} catch {
		// Half-written by a process that died, or just released: not held.
		return undefined;
	}
}

function isAlive(holder: Holder): boolean {
	if (holder.pid === process.pid) return false;
	const ticks = startTicksOf(holder.pid);
	if (ticks !== undefined) return holder.startTicks === "" || ticks === holder.startTicks;
	try {
		process.kill(holder.pid, 0);
		return process.platform !== "linux";
	} catch {
		return false;
	}
}

/** Field 22 of /proc/PID/stat; undefined for a process that does not exist or is a zombie, and without /proc. */
function startTicksOf(pid: number): string | undefined {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		const [state = "", ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
		return /[ZX]/.test(state) ? undefined : fields[18];
	} catch {
		return undefined;
	}
}
