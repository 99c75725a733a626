/**
 * What a checkpoint says, before it is signed. Source: c2sp.org/tlog-checkpoint; the last two lines are extensions of ours.
 *
 *   sello/archive/sandbox/0f3c…      origin: which log
 *   48211                            how many leaves
 *   bWVya2xl…=                       the tree's root, base64
 *   previous 9c1e…                   SHA-256 of the whole note before, signature included, hex; 64 zeros in the first
 *   at 2026-11-21T00:10:00.000Z
 */
import { NoteError } from "./signed-note";

export type CheckpointText = {
	readonly origin: string;
	readonly size: number;
	/** Hex. */
	readonly root: string;
	/** Hex. */
	readonly previous: string;
	readonly madeAt: Date;
};

/** What the first checkpoint follows. */
export const NOTHING_BEFORE = "0".repeat(64);

const FORM =
	/^([^\s+]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\nprevious ([0-9a-f]{64})\nat (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\n$/;

export function writeCheckpoint({ origin, size, root, previous, madeAt }: CheckpointText): string {
	const base64 = Buffer.from(root, "hex").toString("base64");
	return `${origin}\n${size}\n${base64}\nprevious ${previous}\nat ${madeAt.toISOString()}\n`;
}

/** Throws: NoteError. */
export function readCheckpoint(text: string): CheckpointText {
	const [, origin, size, root, previous, at] = FORM.exec(text) ?? [];
	if (origin === undefined || root === undefined || previous === undefined || at === undefined)
		throw new NoteError("its text is no checkpoint of this archive");
	const hex = Buffer.from(root, "base64").toString("hex");
	return { origin, size: Number(size), root: hex, previous, madeAt: new Date(at) };
}
