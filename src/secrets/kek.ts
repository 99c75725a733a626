import { createHmac, randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Reads the key-encryption key: 32 bytes in base64. Throws an Error that names the file and what was expected. */
export function readKek(path: string): Buffer {
	const kek = Buffer.from(readFileSync(path, "utf8").trim(), "base64");
	if (kek.length !== 32) throw new Error(`expected ${path} to hold 32 bytes in base64, got ${kek.length}`);
	return kek;
}

/** Reads the key-encryption key, or makes one with mode 0600 when there is none yet. */
export function readOrMakeKek(path: string): Buffer {
	if (!existsSync(path)) {
		mkdirSync(dirname(path), { recursive: true });
		const made = `${path}.${process.pid}.new`;
		writeFileSync(made, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600 });
		try {
			// A link appears whole and never overwrites: losing this key means losing every stored secret.
			linkSync(made, path);
		} catch (error) {
			if ((error as { code?: string }).code !== "EEXIST") throw error;
		} finally {
			unlinkSync(made);
		}
	}
	return readKek(path);
}

/** A further key for one purpose, derived from the key-encryption key, such as the pepper of tombstones. */
export function deriveKey(kek: Uint8Array, purpose: string): Buffer {
	return createHmac("sha256", kek).update(`sello/${purpose}/1`).digest();
}
