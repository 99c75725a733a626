/** What a process of ours takes, as Linux tells it; NaN elsewhere. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** The most memory that it had resident, mapped files included, since its start or the last reset. */
export function readPeakMiB(pid: number): number {
	return readMiB(pid, "VmHWM");
}

/** What it has resident of its own: neither files that it maps nor memory that it shares. */
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

/** Processor time that it has used. Units: clock ticks. */
export function readTicks(pid: number): number {
	const fields = afterName(readFileSync(`/proc/${pid}/stat`, "utf8"));
	return Number(fields[11]) + Number(fields[12]);
}

/** Processes that it has started and that run the service. */
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

/** The fields behind the name, which may hold anything. The first is the state. */
function afterName(stat: string): string[] {
	return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function readMiB(pid: number, field: string): number {
	const kB = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(read(`/proc/${pid}/status`) ?? "")?.[1];
	return Math.round(Number(kB) / 102.4) / 10;
}

/** Undefined when the process has ended meanwhile. */
function read(path: string): string | undefined {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return undefined;
	}
}
