/** What else the machine did while a bench ran: a figure of a loud hour is judged as one. */
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";

export type OtherWork = {
	/** Programs that ran or wanted to, on average over the minute before the bench began. */
	readonly loadBefore: number;
	/** Share of all cores' time that the machine's host gave to others; undefined where there is no `/proc`. */
	readonly stolen?: number;
};

/** Begins to watch; what is returned tells what there was since. */
export function watchOtherWork(): () => OtherWork {
	const [loadBefore = Number.NaN] = loadavg();
	const before = readCoreTimes();
	return () => {
		const after = readCoreTimes();
		if (!before || !after) return { loadBefore };
		return { loadBefore, stolen: (after.stolen - before.stolen) / Math.max(1, after.all - before.all) };
	};
}

/** Since the machine started, of all cores together; in the kernel's ticks, of which only shares are made here. Source: proc(5). */
function readCoreTimes(): { readonly all: number; readonly stolen: number } | undefined {
	if (process.platform !== "linux") return undefined;
	const [cores = ""] = readFileSync("/proc/stat", "latin1").split("\n", 1);
	// user, nice, system, idle, iowait, irq, softirq, steal; what follows, guests' time, is within the first two.
	const ticks = cores.split(/\s+/).slice(1, 9).map(Number);
	return { all: ticks.reduce((sum, each) => sum + each, 0), stolen: ticks[7] ?? 0 };
}
