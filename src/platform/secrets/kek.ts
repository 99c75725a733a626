import { createHash, createHmac, randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** A file that should hold a key-encryption key does not, or does not exist; `code` says which. */
export class KekFileError extends Error {
	readonly code: string | undefined;

	constructor(path: string, got: string, cause?: unknown) {
		super(`expected ${path} to hold 32 bytes in base64, got ${got}`, { cause });
		this.name = "KekFileError";
		this.code = (cause as { code?: string } | undefined)?.code;
	}
}

/** Reads the key-encryption key: 32 bytes in base64. Throws: KekFileError. */
export function readKek(path: string): Buffer {
	const kek = Buffer.from(readText(path).trim(), "base64");
	if (kek.length !== 32) throw new KekFileError(path, String(kek.length));
	return kek;
}

function readText(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch (error) {
		throw new KekFileError(path, (error as Error).message, error);
	}
}

/** Reads the key-encryption key, or creates one with mode 0600. */
export function readOrMakeKek(path: string): Buffer {
	if (!existsSync(path)) {
		mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
		const made = `${path}.${process.pid}.new`;
		writeFileSync(made, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600 });
		try {
			// A link appears complete and never overwrites: losing this key means losing every stored secret.
			linkSync(made, path);
		} catch (error) {
			if ((error as { code?: string }).code !== "EEXIST") throw error;
		} finally {
			unlinkSync(made);
		}
	}
	return readKek(path);
}

export function deriveKey(kek: Uint8Array, purpose: string): Buffer {
	return createHmac("sha256", kek).update(`sello/${purpose}/1`).digest();
}

/**
 * The key-encryption keys that a process knows. Secrets are sealed with the newest; the others open older secrets.
 *
 *   KEK_FILE        ──▶ the current key
 *   KEK_FILE.next   ──▶ the next key, while the operator rotates keys
 *
 * Model: both files are read when something is sealed, which is rare, and when a secret needs an unknown key. So running processes survive
 * a rotation, whichever file they see first, and they keep every key that they have seen.
 *
 * Failures: if a file can no longer be read, known keys stay; if it holds no key, sealing and opening throw.
 */

/** A key-encryption key, or the file that holds it. */
export type Kek = Uint8Array | { readonly file: string };

type KekRing = {
	readonly newest: () => Uint8Array;
	/** By the first bytes of its digest. */
	readonly find: (id: Uint8Array) => Uint8Array | undefined;
};

const ID_BYTES = 8;
const KEK_BYTES = 32;

export function idOfKek(kek: Uint8Array): Buffer {
	return createHash("sha256").update(kek).digest().subarray(0, ID_BYTES);
}

/** The file in which running processes look for the next key. */
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
		// Read the next key first: if its file replaces the other meanwhile, it is found there.
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
