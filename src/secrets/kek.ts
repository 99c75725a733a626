import { createHmac, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Reads the key-encryption key: 32 bytes in base64. Throws an Error that names the file and what was expected. */
export function readKek(path: string): Buffer {
	const kek = Buffer.from(readFileSync(path, "utf8").trim(), "base64");
	if (kek.length !== 32) throw new Error(`expected ${path} to hold 32 bytes in base64, got ${kek.length}`);
	return kek;
}

/** Reads the key-encryption key, or makes one with mode 0600 when there is none yet. */
export function readOrMakeKek(path: string): Buffer {
	mkdirSync(dirname(path), { recursive: true });
	try {
		// "wx" never overwrites: losing this key means losing every stored secret.
		writeFileSync(path, `${randomBytes(32).toString("base64")}\n`, { flag: "wx", mode: 0o600 });
	} catch (error) {
		if ((error as { code?: string }).code !== "EEXIST") throw error;
	}
	return readKek(path);
}

/** A further key for one purpose, derived from the key-encryption key, such as the pepper of tombstones. */
export function deriveKey(kek: Uint8Array, purpose: string): Buffer {
	return createHmac("sha256", kek).update(`sello/${purpose}/1`).digest();
}
