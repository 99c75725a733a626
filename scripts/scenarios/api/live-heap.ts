/**
 * The bytes that the service's first thread holds on to, garbage excluded. Resident memory also has garbage, compiled code and pages that the
 * allocator keeps: it varies by 40 MiB between two rounds of the same requests, the live heap by less than five.
 *
 * The service loads this file before its own code; then SIGUSR1 collects garbage and writes the figure into its folder.
 */
import { heapStats } from "bun:jsc";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../../test/support/until";

const FOLDER = "LIVE_HEAP_FOLDER";

/** Settings with which a service answers `readLiveMiB`. */
export const liveHeapSettings = (folder: string) => ({
	[FOLDER]: folder,
	BUN_OPTIONS: `--preload ${import.meta.path}`,
});

export async function readLiveMiB(pid: number, folder: string): Promise<number> {
	const path = join(folder, "live-heap");
	const read = () => {
		try {
			return Number(readFileSync(path, "utf8"));
		} catch {
			return 0;
		}
	};
	rmSync(path, { force: true });
	process.kill(pid, "SIGUSR1");
	await until(() => read() > 0, 30_000);
	return Math.round(read() / 104_857.6) / 10;
}

const folder = process.env[FOLDER];
if (folder !== undefined && Bun.isMainThread)
	process.on("SIGUSR1", () => {
		Bun.gc(true);
		writeFileSync(join(folder, "live-heap"), String(heapStats().heapSize));
	});
