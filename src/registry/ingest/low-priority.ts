/**
 * Lowers the priority of the calling thread: under contention it gets a tenth of a processor. Linux sets priorities per thread. On other
 * systems or another C library this does nothing.
 */
import { dlopen } from "bun:ffi";

/** Source: setpriority(2): a process or, on Linux, a thread; 0 is the caller. */
const PRIO_PROCESS = 0;
const CALLER = 0;
const NICENESS = 10;

export function lowerPriority(): boolean {
	if (process.platform !== "linux") return false;
	try {
		const library = dlopen("libc.so.6", { setpriority: { args: ["i32", "u32", "i32"], returns: "i32" } });
		return library.symbols.setpriority(PRIO_PROCESS, CALLER, NICENESS) === 0;
	} catch {
		// A lower priority is optional.
		return false;
	}
}
