/**
 * Lets the thread that calls this give way to all others: of a processor that somebody else wants it gets a tenth. Linux counts priorities
 * by thread; where they belong to whole processes, or where the C library is not the usual one, nothing happens.
 */
import { dlopen } from "bun:ffi";

/** Source: setpriority(2): a process or, on Linux, a thread; 0 is the caller. */
const PRIO_PROCESS = 0;
const CALLER = 0;
const NICENESS = 10;

/** True when it worked. */
export function lowerPriority(): boolean {
	if (process.platform !== "linux") return false;
	try {
		const library = dlopen("libc.so.6", { setpriority: { args: ["i32", "u32", "i32"], returns: "i32" } });
		return library.symbols.setpriority(PRIO_PROCESS, CALLER, NICENESS) === 0;
	} catch {
		// An unhurried ingest is a courtesy, not a condition.
		return false;
	}
}
