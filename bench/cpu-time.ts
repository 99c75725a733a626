/** What a process has cost so far: on a machine that others use too, steadier than the time that passed. */
import { readFileSync } from "node:fs";

/** The kernel tells times of processes in hundredths of a second on every architecture that Bun runs on. */
const TICKS_PER_SECOND = 100;

/** Seconds of all its threads, in the program and in the kernel; undefined where there is no `/proc`. */
export function cpuSecondsOf(pid: number): number | undefined {
	if (process.platform !== "linux") return undefined;
	const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
	// The name, in brackets, may hold anything; what follows its last bracket begins with the third field.
	const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
