/** A folder in memory for the files of tests. */
import { existsSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

const SHARED_MEMORY = "/dev/shm";
const ROOM_BYTES = 1_500_000_000;

/**
 * The system's folder in memory, if there is one with room. Removes folders of this prefix whose process (the number after the prefix)
 * has ended: a killed run cannot clean up, and memory is scarcer than disk.
 */
export function findMemoryFolder(prefix: string, folder = SHARED_MEMORY, room = ROOM_BYTES): string | undefined {
	if (process.platform !== "linux" || !existsSync(folder)) return undefined;
	for (const name of readdirSync(folder).filter((one) => one.startsWith(prefix))) {
		if (!existsSync(`/proc/${Number.parseInt(name.slice(prefix.length), 10)}`)) {
			remove(join(folder, name));
		}
	}
	const { bavail, bsize } = statfsSync(folder);
	return bavail * bsize >= room ? folder : undefined;
}

/** Another process may be removing it, or it belongs to another user. */
function remove(path: string): void {
	try {
		rmSync(path, { recursive: true, force: true });
	} catch (error) {
		console.error(`${path} stays: ${error}`);
	}
}
