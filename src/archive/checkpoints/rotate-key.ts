/** A new key for the archive, by the operator's hand: when others may have the old one, or when its time has come. */
import { type KeyDeps, replaceKey } from "./keys";
import { makeCheckpoint } from "./make-checkpoint";
import { toVerifierKey } from "./signed-note";

export type RotatedKey = {
	readonly name: string;
	/** As those who verify write it. */
	readonly key: string;
	/** The first one that it has signed, which covers everything. */
	readonly checkpoint: number;
	readonly size: number;
};

/** The new key signs from now on, a checkpoint at once; the former ones verify for ever. */
export async function rotateKey(deps: KeyDeps): Promise<RotatedKey> {
	const key = await replaceKey(deps);
	const { number, size } = await makeCheckpoint(deps, (newest) => newest.keyName === key.name);
	return { name: key.name, key: toVerifierKey(key), checkpoint: number, size };
}
