/** Signals that whoever started this process has made it deaf to, as `nohup` does with SIGHUP: to listen for one would undo that. */
import { readFileSync } from "node:fs";
import { constants } from "node:os";

/** Ask before anybody listens. Elsewhere than on Linux none is known to be. Source: proc(5), `SigIgn`, whose lowest bit is signal 1. */
export function isIgnored(signal: NodeJS.Signals): boolean {
	try {
		const [, mask] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
		return mask !== undefined && ((BigInt(`0x${mask}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
	} catch {
		return false;
	}
}
