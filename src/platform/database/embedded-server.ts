/**
 * The embedded server as a process: whether it is ready, and how one that an earlier service has left is ended.
 *
 * A server that was cut off reads its log again before it is ready, and one that ends writes down what it holds. Both take as long as the disk does: a
 * gigabyte on a slow one is minutes. So a start waits, says what for, and can be given up; a server that does not end by itself is cut off, which
 * loses nothing that was confirmed.
 */
import type { ChildProcess } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedServerError, readEnd } from "./postgres-programs";

export type Waiting = {
	/** Hears in a sentence what the start waits for, when it waits long. */
	readonly tell?: (sentence: string) => void;
	/** Between two sentences. */
	readonly tellEveryMs?: number;
	/** Gives the start up. */
	readonly signal?: AbortSignal;
	/** For its own end a server has so long, before it is cut off. */
	readonly endsByItselfMs?: number;
};

const TELL_EVERY_MS = 15_000;
const READY_MAX_MS = 15 * 60_000;
const ENDS_BY_ITSELF_MS = 10_000;
const ENDS_CUT_OFF_MS = 60_000;
/** A start that was given up is waited for by somebody. */
const GIVEN_UP_MS = 3_000;
const LOOK_EVERY_MS = 20;

type Place = { readonly cluster: string; readonly port: number; readonly logPath: string };

/**
 * Asks the file in which the server tells how far it is, as its own tools do: whoever has its port in its place learns no password.
 * Throws: EmbeddedServerError when it ends first; what `signal` was aborted with, once the server is stopped.
 */
export async function untilReady(child: ChildProcess, { cluster, port, logPath }: Place, on: Waiting): Promise<void> {
	// By a clock that nobody sets: a machine that has just begun often sets its own at this time.
	const startedAt = performance.now();
	let toldAt = startedAt;
	for (; !isReady(cluster, { pid: child.pid, port }); await Bun.sleep(LOOK_EVERY_MS)) {
		const now = performance.now();
		if (hasEnded(child)) throw new EmbeddedServerError(`PostgreSQL did not start: ${readEnd(logPath)}`);
		if (on.signal?.aborted) {
			await stop(child);
			throw on.signal.reason;
		}
		if (now > startedAt + READY_MAX_MS)
			throw new EmbeddedServerError(`PostgreSQL did not get ready: ${readEnd(logPath)}`);
		if (now > toldAt + (on.tellEveryMs ?? TELL_EVERY_MS)) {
			toldAt = now;
			const seconds = Math.round((now - startedAt) / 1000);
			on.tell?.(
				`PostgreSQL is not ready after ${seconds} s, which is waited for: after a crash it reads its log again. Its last words: ${readEnd(logPath)}`,
			);
		}
	}
}

async function stop(child: ChildProcess): Promise<void> {
	child.kill("SIGINT");
	const deadline = performance.now() + GIVEN_UP_MS;
	while (!hasEnded(child) && performance.now() < deadline) await Bun.sleep(LOOK_EVERY_MS);
	// Cut off, it ends after us if not before.
	child.kill("SIGQUIT");
}

export function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
	return exitCode !== null || signalCode !== null;
}

/**
 * Whether this server takes connections. The port tells it from one that was killed: where processes are few, the next one has its number.
 * Source: PostgreSQL's `postmaster.pid`, whose first line is its process, the fourth its port, the eighth its state.
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
	on.tell?.(
		`PostgreSQL process ${pid} of an earlier start does not end by itself: it is cut off, and the next one reads its log again`,
	);
	signal(pid, "SIGQUIT");
	if (await endsWithin(ENDS_CUT_OFF_MS, pid, cluster, on.signal)) return;
	throw new EmbeddedServerError(`PostgreSQL process ${pid} on ${cluster} does not stop: end it by hand`);
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

/** It may have ended since it was looked at. */
function signal(pid: number, name: "SIGINT" | "SIGQUIT"): void {
	try {
		process.kill(pid, name);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
	}
}

/** Empty when there is none, which it may become at any moment; a server that is just writing it may not have come to every line. */
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
 * Takes a data directory for this process; the answer gives it back. A holder that died is recognised by its process id
 * together with the start time of that process, since ids are used again. Throws: DataDirLockedError.
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
			// Two starters that found the same dead holder can each take the other's lock away: the last one written stays.
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
		// Half-written by a process that died, or just given back: nobody holds it.
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

/** Field 22 of /proc/PID/stat; undefined where there is no such process, where it has died and its parent has not asked yet, or no /proc. */
function startTicksOf(pid: number): string | undefined {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		const [state = "", ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
		return /[ZX]/.test(state) ? undefined : fields[18];
	} catch {
		return undefined;
	}
}
