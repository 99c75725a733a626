/**
 * Seals the key-encryption key to a recovery key, whose private part the operator keeps elsewhere. RSA-OAEP with SHA-256, so that OpenSSL alone opens it:
 * `openssl pkeyutl -decrypt -inkey KEY -pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:sha256`.
 */
import {
	constants,
	createPrivateKey,
	createPublicKey,
	type KeyObject,
	privateDecrypt,
	publicEncrypt,
} from "node:crypto";
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { idOfKek } from "./kek";

/** A recovery key cannot be used; the message says why. */
export class RecoveryKeyError extends Error {}

const BITS_MIN = 3_072;
const PADDING = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" } as const;

/** `path` names a public key or certificate in PEM. Throws: RecoveryKeyError. */
export function sealToRecoveryKey(kek: Uint8Array, path: string): Buffer {
	const key = readKey(path, createPublicKey);
	return publicEncrypt({ key, ...PADDING }, kek);
}

/** `path` names the private key in PEM. Throws: RecoveryKeyError when it is not the right one. */
export function openWithRecoveryKey(sealed: Uint8Array, path: string): Buffer {
	const key = readKey(path, createPrivateKey);
	try {
		return privateDecrypt({ key, ...PADDING }, sealed);
	} catch {
		throw new RecoveryKeyError(`${path} does not open the key-encryption key of this backup`);
	}
}

/** Writes a key-encryption key where none is. Throws the system's error (EEXIST) otherwise. */
export function writeKek(path: string, kek: Uint8Array): void {
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	const made = `${path}.${process.pid}.new`;
	writeFileSync(made, `${Buffer.from(kek).toString("base64")}\n`, { mode: 0o600 });
	try {
		linkSync(made, path);
	} finally {
		unlinkSync(made);
	}
}

/** The first bytes of its digest, in hex. */
export const nameOfKek = (kek: Uint8Array): string => idOfKek(kek).toString("hex");

function readKey(path: string, read: (pem: string) => KeyObject): KeyObject {
	let key: KeyObject;
	try {
		key = read(readFileSync(path, "utf8"));
	} catch (error) {
		throw new RecoveryKeyError(`${path} holds no recovery key: ${(error as Error).message}`);
	}
	if (key.asymmetricKeyType !== "rsa" || (key.asymmetricKeyDetails?.modulusLength ?? 0) < BITS_MIN)
		throw new RecoveryKeyError(`expected ${path} to hold an RSA key of ${BITS_MIN} bits or more`);
	return key;
}
