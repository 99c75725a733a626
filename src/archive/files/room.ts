/** Whether a file system has room for what is still to come, told before the first write fails. */
import { statfs } from "node:fs/promises";

export type Space = {
	/** Of one block. */
	readonly bsize: number;
	readonly blocks: number;
	/** Blocks that a process without rights of its own may take. */
	readonly bavail: number;
	/** Names that there can be; 0 where the file system knows no such limit. */
	readonly files: number;
	readonly ffree: number;
};

/** A hundredth is little on a small disk. On a large one this is a hundred thousand documents: time to do something, and no false alarm before. */
const ROOM_BYTES = 256 * 1024 ** 2;
const SHARE = 100;

export async function hasRoom(folder: string): Promise<boolean> {
	return isRoomy(await statfs(folder));
}

export function isRoomy({ bsize, blocks, bavail, files, ffree }: Space): boolean {
	const hasBytes = bavail * bsize >= Math.min((blocks * bsize) / SHARE, ROOM_BYTES);
	return hasBytes && (files === 0 || ffree > 0);
}
