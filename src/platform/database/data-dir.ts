import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/** Another living process works in the same data directory. */
export class DataDirHeldError extends Error {
	constructor(
		readonly dataDir: string,
		readonly pid: number,
		readonly since: string,
	) {
		super(`${dataDir} is in use by process ${pid} since ${since}: stop it, or start with another DATA_DIR`);
		this.name = "DataDirHeldError";
	}
}

const SETTLE_MS = 20;

type Holder = { pid: number; startTicks: string; since: string };

/**
 * Takes a data directory for this process; the answer gives it back. A holder that died is recognised by its process id
 * together with the start time of that process, since ids are used again. Throws: DataDirHeldError.
 */
export function holdDataDir(dataDir: string): () => void {
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
			if (holder?.pid !== self.pid) throw new DataDirHeldError(dataDir, holder?.pid ?? 0, holder?.since ?? "now");
			return () => rmSync(path, { force: true });
		} catch (error) {
			if ((error as { code?: string }).code !== "EEXIST") throw error;
		}
		const holder = readHolder(path);
		if (holder && isAlive(holder)) throw new DataDirHeldError(dataDir, holder.pid, holder.since);
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
