/**
 * `npx` ends on a SIGTERM without passing it on, and leaves what it started behind: a service that nobody sees holds the port
 * and the data. So a service that was started through it watches it. Linux only; elsewhere nothing is found and nothing done.
 */
import { readFileSync } from "node:fs";

const EVERY_MS = 500;
const GENERATIONS_MAX = 6;

/** Calls `ended` once the npx above this process has gone; does nothing when there is none. */
export function watchNpx(ended: () => void): void {
	const npx = findNpx();
	if (npx === undefined) return;
	const timer = setInterval(() => {
		if (commandOf(npx) !== undefined) return;
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
