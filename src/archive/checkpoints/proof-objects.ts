/** The objects of the archive's proof in the store: keys, leaves, and checkpoints with their logs, below the segment `proof/`. */
import { LOG_COUNT } from "../merkle";
import type { Archive } from "../object-store/archive";

/**
 * Gap: twice as long as a document. A checkpoint is needed as long as the youngest document that it covers, and a key as long as its last
 * signature. A date that is too late costs a few bytes.
 */
const PROOF_KEPT_YEARS = 20;

const KEYS = "proof/keys/";
export const LEAVES = "proof/leaves/";
const CHECKPOINTS = "proof/checkpoints/";

export function keyObject(name: string): string {
	return `${KEYS}${name.replaceAll("/", "-")}.txt`;
}

export function checkpointObject(number: number): string {
	return `${CHECKPOINTS}${pad(number)}.txt`;
}

/** The object that lists the logs of a checkpoint. */
export function logsObject(number: number): string {
	return `${CHECKPOINTS}${pad(number)}.logs`;
}

/** The number of a checkpoint's note or list of logs; undefined for another object. */
export function checkpointOf(key: string): number | undefined {
	const [, number] = /^proof\/checkpoints\/(\d{12})\.(?:txt|logs)$/.exec(key) ?? [];
	return number === undefined ? undefined : Number(number);
}

/** The object of a log's leaves, the last included. */
export function leavesObject(log: number, first: number, last: number): string {
	return `${leavesFrom(log, first)}${pad(last)}.jsonl`;
}

export function leavesFrom(log: number, first: number): string {
	return `${LEAVES}${String(log).padStart(2, "0")}/${pad(first)}-`;
}

export type LeavesPlace = { readonly log: number; readonly first: number; readonly last: number };

/** Which leaves an object holds; undefined for another object. */
export function leavesOf(key: string): LeavesPlace | undefined {
	const [, log, first, last] = /^proof\/leaves\/(\d\d)\/(\d{12})-(\d{12})\.jsonl$/.exec(key)?.map(Number) ?? [];
	if (log === undefined || first === undefined || last === undefined || log >= LOG_COUNT) return undefined;
	return { log, first, last };
}

/** Writes an object of the proof. Throws ArchiveConflictError if the key has other bytes. */
export async function putProof(archive: Archive, now: Date, key: string, bytes: Uint8Array): Promise<void> {
	const retainUntil = new Date(now);
	retainUntil.setUTCFullYear(retainUntil.getUTCFullYear() + PROOF_KEPT_YEARS);
	await archive.putOnce(key, bytes, { retainUntil });
}

function pad(count: number): string {
	return String(count).padStart(12, "0");
}

/** What was signed and what the tables hold now cannot both be true. Nothing is signed until an operator has looked. */
export class ArchiveContradictionError extends Error {
	constructor(readonly fault: string) {
		super(`the archive's proof contradicts itself: ${fault}; nothing is signed, see admin archive verify`);
		this.name = "ArchiveContradictionError";
	}
}
