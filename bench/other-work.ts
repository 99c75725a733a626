/** Other load on the machine during a bench, to judge its figures by. */
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";

export type OtherWork = {
	/** Average of running and runnable programs in the minute before the bench. */
	readonly loadBefore: number;
	/** Share of all cores' time that the host gave to others; undefined without `/proc`. */
	readonly stolen?: number;
};

/** Starts watching; the returned function reports the load since. */
export function watchOtherWork(): () => OtherWork {
	const [loadBefore = Number.NaN] = loadavg();
	const before = readCoreTimes();
	return () => {
		const after = readCoreTimes();
		if (!before || !after) return { loadBefore };
		return { loadBefore, stolen: (after.stolen - before.stolen) / Math.max(1, after.all - before.all) };
	};
}

/** Since boot, over all cores, in kernel ticks, of which only ratios are used. Source: proc(5). */
function readCoreTimes(): { readonly all: number; readonly stolen: number } | undefined {
	if (process.platform !== "linux") return undefined;
	const [cores = ""] = readFileSync("/proc/stat", "latin1").split("\n", 1);
	// user, nice, system, idle, iowait, irq, softirq, steal; the following guest times are included in the first two.
	const ticks = cores.split(/\s+/).slice(1, 9).map(Number);
	return { all: ticks.reduce((sum, each) => sum + each, 0), stolen: ticks[7] ?? 0 };
}
