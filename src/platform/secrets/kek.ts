import { createHmac, randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** A file holds no key-encryption key, or is not there, which `code` tells. */
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
