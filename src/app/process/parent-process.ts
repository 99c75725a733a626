/**
 * A service that nobody sees holds the port and the data. `npx` ends on a SIGTERM without passing it on, and a first process that is killed leaves
 * its further ones behind; so whoever was started by either watches it. Linux only; elsewhere nothing is found and nothing done.
 */
import { readFileSync } from "node:fs";

const EVERY_MS = 500;
const GENERATIONS_MAX = 6;

/** Whether this process is one of several on a port, started by the first (`http-processes.ts`), which has told all that there is to tell. */
export function isFurtherProcess(): boolean {
	return process.argv.includes("--further");
}

/** Calls `ended` once the npx above this process has gone; does nothing when there is none. */
export function watchNpx(ended: () => void): void {
	const npx = findNpx();
	if (npx !== undefined) watch(() => commandOf(npx) === undefined, ended);
}

/** Calls `ended` once the process that has started this one has gone. */
export function watchParent(ended: () => void): void {
	const parent = parentOf(process.pid);
	if (parent !== undefined) watch(() => parentOf(process.pid) !== parent, ended);
}

function watch(isGone: () => boolean, ended: () => void): void {
	const timer = setInterval(() => {
		if (!isGone()) return;
		clearInterval(timer);
		ended();
	}, EVERY_MS);
	timer.unref();
}

function findNpx(): number | undefined {
	let pid: number | undefined = process.ppid;
	for (let i = 0; i < GENERATIONS_MAX && pid !== undefined && pid > 1; i++) {
		if (/\bnpm exec\b|\bnpx\b/.test(commandOf(pid) ?? "")) return pid;
		pid = parentOf(pid);
	}
	return undefined;
}

function commandOf(pid: number): string | undefined {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ") || undefined;
	} catch {
		return undefined;
	}
}

function parentOf(pid: number): number | undefined {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
	} catch {
		return undefined;
	}
}
