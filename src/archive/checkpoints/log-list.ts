/**
 * The logs of a checkpoint as a text in the store, over which its root is computed: a line for each log with its number, size and root (hex).
 *
 *   sello-logs/1
 *   0 752 5a5e0c0b…
 *   1 0 e3b0c442…
 */
import { toHex } from "../../platform/values";
import { LOG_COUNT, rootOfLogs } from "../merkle";
import { ArchiveContradictionError } from "./proof-objects";

/** A log at a checkpoint. */
export type SignedLog = {
	readonly size: number;
	/** Hex. */
	readonly root: string;
};

const HEAD = "sello-logs/1";
const LINE = /^(\d{1,2}) (0|[1-9]\d{0,14}) ([0-9a-f]{64})$/;

export function writeLogs(logs: readonly SignedLog[]): string {
	return [HEAD, ...logs.map(({ size, root }, log) => `${log} ${size} ${root}`), ""].join("\n");
}

/** Throws ArchiveContradictionError for a text that is no list of all logs. */
export function readLogs(text: string, objectKey: string): SignedLog[] {
	const [head, ...lines] = text.split("\n");
	const logs = lines.slice(0, -1).flatMap((line, at) => {
		const [, log, size, root = ""] = LINE.exec(line) ?? [];
		return Number(log) === at ? [{ size: Number(size), root }] : [];
	});
	if (head !== HEAD || lines.at(-1) !== "" || lines.length !== LOG_COUNT + 1 || logs.length !== LOG_COUNT)
		throw new ArchiveContradictionError(`${objectKey} in the store is no list of logs`);
	return logs;
}

/** The leaves of all logs together. */
export function sizeOfLogs(logs: readonly SignedLog[]): number {
	return logs.reduce((sum, { size }) => sum + size, 0);
}

/** Hex. */
export function rootOver(logs: readonly SignedLog[]): string {
	return toHex(rootOfLogs(logs.map(({ size, root }) => ({ size, root: Buffer.from(root, "hex") }))));
}
