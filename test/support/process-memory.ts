/** Memory and processor time of our processes, read from Linux; NaN on other systems. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** The peak resident memory, mapped files included, since the start or the last reset. */
export function readPeakMiB(pid: number): number {
	return readMiB(pid, "VmHWM");
}

/** Private resident memory, without mapped files and shared memory. */
export function readOwnMiB(pid: number): number {
	return readMiB(pid, "RssAnon");
}

export function resetPeak(pid: number): void {
	try {
		writeFileSync(`/proc/${pid}/clear_refs`, "5");
	} catch (error) {
		console.error(`the peak of ${pid} cannot be reset, so it counts from the start: ${error}`);
	}
}

/** Processor time used, in clock ticks. */
export function readTicks(pid: number): number {
	const fields = afterName(readFileSync(`/proc/${pid}/stat`, "utf8"));
	return Number(fields[11]) + Number(fields[12]);
}

/** The child processes that run the service. */
export function listChildren(pid: number): number[] {
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name))
		.filter((name) => {
			const stat = read(`/proc/${name}/stat`);
			return (
				stat !== undefined && afterName(stat)[1] === String(pid) && read(`/proc/${name}/cmdline`)?.includes("main.ts")
			);
		})
		.map(Number);
}

/** The fields after the name, which may hold any character. The first is the state. */
function afterName(stat: string): string[] {
	return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function readMiB(pid: number, field: string): number {
	const kB = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(read(`/proc/${pid}/status`) ?? "")?.[1];
	return Math.round(Number(kB) / 102.4) / 10;
}

/** Undefined when the process has ended. */
function read(path: string): string | undefined {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return undefined;
	}
}
