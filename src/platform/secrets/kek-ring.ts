/**
 * The key-encryption keys that a process knows. One is the newest, under which secrets are sealed; the others open what was sealed before.
 *
 *   KEK_FILE        ──▶ the key
 *   KEK_FILE.next   ──▶ the key that is to take its place, while the operator changes them
 *
 * Model: both files are looked at when something is sealed, which is seldom, and when a secret is met that no known key opens. So processes
 * that run go on through a change of keys, whichever of the two they see first, and what they have once known they keep until they end.
 *
 * What fails: a file that cannot be read any more leaves what is known; one that holds no key is told to whoever seals or opens.
 */
import { createHash } from "node:crypto";
import { readKek } from "./kek";

/** A key-encryption key by itself, or the file that holds it. */
export type Kek = Uint8Array | { readonly file: string };

type KekRing = {
	readonly newest: () => Uint8Array;
	/** By the first bytes of its digest. */
	readonly find: (id: Uint8Array) => Uint8Array | undefined;
};

const ID_BYTES = 8;
const KEK_BYTES = 32;

/** Tells which key wrapped a data key. */
export function idOfKek(kek: Uint8Array): Buffer {
	return createHash("sha256").update(kek).digest().subarray(0, ID_BYTES);
}

/** The file in which running processes look for the key to come. */
export function nextKekFile(file: string): string {
	return `${file}.next`;
}

function readIfThere(file: string): Uint8Array | undefined {
	try {
		return readKek(file);
	} catch (error) {
		if ((error as { code?: string }).code === "ENOENT") return undefined;
		throw error;
	}
}

/** Throws an Error when the file holds no key, RangeError when the key has another length. */
export function openKekRing(kek: Kek): KekRing {
	if (kek instanceof Uint8Array) {
		if (kek.length !== KEK_BYTES)
			throw new RangeError(`expected a key-encryption key of ${KEK_BYTES} bytes, got ${kek.length}`);
		const id = idOfKek(kek);
		return { newest: () => kek, find: (wanted) => (id.equals(wanted) ? kek : undefined) };
	}
	const known = new Map<string, Uint8Array>();
	let newest: Uint8Array = readKek(kek.file);
	const learn = (key: Uint8Array): void => {
		known.set(idOfKek(key).toString("hex"), key);
		newest = key;
	};
	learn(newest);
	const look = (): void => {
		// The key to come first: if its file takes the other's place meanwhile, it is found there.
		const next = readIfThere(nextKekFile(kek.file));
		for (const key of [readIfThere(kek.file), next]) if (key) learn(key);
	};
	look();
	return {
		newest() {
			look();
			return newest;
		},
		find(id) {
			const name = Buffer.from(id).toString("hex");
			if (!known.has(name)) look();
			return known.get(name);
		},
	};
}
