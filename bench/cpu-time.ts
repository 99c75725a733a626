/** Processor time of processes: steadier than elapsed time on a shared machine. */
import { readdirSync, readFileSync } from "node:fs";

/** The kernel reports process times in hundredths of a second on every architecture that Bun supports. */
const TICKS_PER_SECOND = 100;

/** Processor seconds of a process and its descendants, user and system; undefined without `/proc`. */
export function cpuSecondsOf(pid: number): number | undefined {
	if (process.platform !== "linux") return undefined;
	const all = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (readProcess(Number(name)) ?? []) : []));
	const secondsBelow = (one: Process): number =>
		all.filter((other) => other.parent === one.pid).reduce((sum, child) => sum + secondsBelow(child), one.seconds);
	const root = all.find((one) => one.pid === pid);
	return root && secondsBelow(root);
}

/** The processor time that programs spend on each unit of some work. Units: microseconds; NaN if it cannot be measured. */
export async function measureCpu<Name extends string, Result>(
	pids: Readonly<Record<Name, number>>,
	work: () => Promise<Result>,
	unitsOf: (result: Result) => number,
): Promise<{ result: Result; micros: Record<Name, number> }> {
	const names = Object.keys(pids) as Name[];
	const micros: Partial<Record<Name, number>> = {};
	const before = names.map((name) => cpuSecondsOf(pids[name]) ?? Number.NaN);
	const result = await work();
	for (const [i, name] of names.entries()) {
		const seconds = (cpuSecondsOf(pids[name]) ?? Number.NaN) - (before[i] ?? Number.NaN);
		micros[name] = (seconds * 1e6) / unitsOf(result);
	}
	return { result, micros: micros as Record<Name, number> };
}

type Process = { readonly pid: number; readonly parent: number; readonly seconds: number };

function readProcess(pid: number): Process | undefined {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
		// The name in brackets may contain anything; the third field follows its last bracket.
		const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
		return { pid, parent: Number(fields[1]), seconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND };
	} catch {
		// It ended after the folder was read.
		return undefined;
	}
}
