/**
 * What a process knows about the processes above it.
 *
 * `npx` exits on SIGTERM without passing it on, and a first process that is killed leaves its children behind. Either would leave a service that
 * holds the port and the data, so a process started by them watches them. Linux only: elsewhere these functions find nothing.
 */
import { readFileSync } from "node:fs";
import { constants } from "node:os";

const POLL_MS = 500;
const ANCESTORS_MAX = 6;

/** Marks a process that serves the port beside the first one, which started it (`child-processes.ts`). */
export const CHILD_FLAG = "--child-process";

export function isChildProcess(): boolean {
	return process.argv.includes(CHILD_FLAG);
}

/** Calls `onExit` once the npx above this process has exited; does nothing without one. */
export function watchNpx(onExit: () => void): void {
	const npx = findNpx();
	if (npx !== undefined) watch(() => commandOf(npx) === undefined, onExit);
}

/** Calls `onExit` once the process that started this one has exited. */
export function watchParent(onExit: () => void): void {
	const parent = parentOf(process.pid);
	if (parent !== undefined) watch(() => parentOf(process.pid) !== parent, onExit);
}

/**
 * Whether the process was started with this signal ignored, as `nohup` does with SIGHUP. Call it before adding a handler, which would undo that.
 * Source: proc(5), `SigIgn`, whose lowest bit is signal 1.
 */
export function isIgnored(signal: NodeJS.Signals): boolean {
	try {
		const [, mask] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
		return mask !== undefined && ((BigInt(`0x${mask}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
	} catch {
		return false;
	}
}

function watch(hasExited: () => boolean, onExit: () => void): void {
	const timer = setInterval(() => {
		if (!hasExited()) return;
		clearInterval(timer);
		onExit();
	}, POLL_MS);
	timer.unref();
}

function findNpx(): number | undefined {
	let pid: number | undefined = process.ppid;
	for (let i = 0; i < ANCESTORS_MAX && pid !== undefined && pid > 1; i++) {
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
