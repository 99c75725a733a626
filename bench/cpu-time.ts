/** Processor time of processes: steadier than elapsed time on a shared machine. */
import { readdirSync, readFileSync } from "node:fs";

/** The kernel reports process times in hundredths of a second on every architecture that Bun supports. */
const TICKS_PER_SECOND = 100;

const POSTGRES = "postgres";

/**
 * Processor seconds of a process and its descendants, user and system, with those that have ended; undefined without `/proc`. `postgres` is
 * the part of the PostgreSQL servers among them.
 */
export function cpuSecondsOf(pid: number): { readonly total: number; readonly postgres: number } | undefined {
	if (process.platform !== "linux") return undefined;
	const all = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (readProcess(Number(name)) ?? []) : []));
	const sumBelow = (one: Process): { total: number; postgres: number } => {
		const sum = { total: one.seconds, postgres: one.name === POSTGRES ? one.seconds : 0 };
		for (const child of all.filter((other) => other.parent === one.pid)) {
			const { total, postgres } = sumBelow(child);
			sum.total += total;
			sum.postgres += postgres;
		}
		return sum;
	};
	const root = all.find((one) => one.pid === pid);
	return root && sumBelow(root);
}

/** The processor time that programs spend on each unit of some work. Units: microseconds; NaN if it cannot be measured. */
export async function measureCpu<Name extends string, Result>(
	pids: Readonly<Record<Name, number>>,
	work: () => Promise<Result>,
	unitsOf: (result: Result) => number,
): Promise<{ result: Result; micros: Record<Name, number> }> {
	const names = Object.keys(pids) as Name[];
	const micros: Partial<Record<Name, number>> = {};
	const before = names.map((name) => cpuSecondsOf(pids[name])?.total ?? Number.NaN);
	const result = await work();
	for (const [i, name] of names.entries()) {
		const seconds = (cpuSecondsOf(pids[name])?.total ?? Number.NaN) - (before[i] ?? Number.NaN);
		micros[name] = (seconds * 1e6) / unitsOf(result);
	}
	return { result, micros: micros as Record<Name, number> };
}

type Process = { readonly pid: number; readonly name: string; readonly parent: number; readonly seconds: number };

function readProcess(pid: number): Process | undefined {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
		// The name in brackets may contain anything; the third field follows its last bracket.
		const nameEnd = stat.lastIndexOf(")");
		const fields = stat.slice(nameEnd + 2).split(" ");
		// Its own time, user and system, and that of its children that have ended, such as vacuum's.
		const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
		const name = stat.slice(stat.indexOf("(") + 1, nameEnd);
		return { pid, name, parent: Number(fields[1]), seconds: ticks / TICKS_PER_SECOND };
	} catch {
		// It ended after the folder was read.
		return undefined;
	}
}
