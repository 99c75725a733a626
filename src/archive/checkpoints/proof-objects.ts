/** The objects of the archive's proof in the store: keys, leaves and checkpoints, below the segment `proof/`. */
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

/** The object of leaves, the last included. */
export function leavesObject(first: number, last: number): string {
	return `${leavesFrom(first)}${pad(last)}.jsonl`;
}

export function leavesFrom(first: number): string {
	return `${LEAVES}${pad(first)}-`;
}

/** Which leaves an object holds; undefined for another object. */
export function leavesOf(key: string): { readonly first: number; readonly last: number } | undefined {
	const [, first, last] = /^proof\/leaves\/(\d{12})-(\d{12})\.jsonl$/.exec(key) ?? [];
	return first === undefined ? undefined : { first: Number(first), last: Number(last) };
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
