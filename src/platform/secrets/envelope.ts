/**
 * Envelope encryption of stored secrets: each secret has its own data key, encrypted with the key-encryption key (KEK), which never enters
 * the database.
 *
 *   offset  bytes  meaning
 *        0      1  version, 1
 *        1      8  first 8 bytes of SHA-256 of the KEK: identifies the key
 *        9     12  nonce of the encrypted data key
 *       21     48  data key, AES-256-GCM under the KEK (32 bytes and tag)
 *       69     12  nonce of the secret
 *       81      n  secret, AES-256-GCM under the data key (and 16 bytes of tag)
 *
 * Both encryptions are bound to `context` as additional data: a row copied to another tenant does not open.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { idOfKek, type Kek, openKekRing } from "./kek";

export type Envelope = {
	/** Encrypts a secret for one context, such as `signing-key|<tenant>|<certificate>`. */
	readonly seal: (secret: Uint8Array, context: string) => Uint8Array;
	/** Decrypts it for the same context. Throws: SealedSecretError when the key, the context or a byte differs. */
	readonly open: (sealed: Uint8Array, context: string) => Buffer;
};

export class SealedSecretError extends Error {
	constructor(
		readonly context: string,
		cause: unknown,
	) {
		super(`a sealed secret does not open for ${context}: check KEK_FILE, then whether the row was moved or changed`, {
			cause,
		});
		this.name = "SealedSecretError";
	}
}

const VERSION = 1;
const HEADER_BYTES = 9;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const WRAPPED_BYTES = NONCE_BYTES + KEY_BYTES + TAG_BYTES;

/** Throws: as `openKekRing`. */
export function createEnvelope(kek: Kek): Envelope {
	const ring = openKekRing(kek);
	return {
		seal(secret, context) {
			const newest = ring.newest();
			const dataKey = randomBytes(KEY_BYTES);
			try {
				return Buffer.concat([headerOf(newest), encrypt(newest, dataKey, context), encrypt(dataKey, secret, context)]);
			} finally {
				dataKey.fill(0);
			}
		},
		open(sealed, context) {
			try {
				const bytes = toBuffer(sealed);
				const dataKey = openDataKey(bytes, ring.find(idIn(bytes)), context);
				try {
					return decrypt(dataKey, bytes.subarray(HEADER_BYTES + WRAPPED_BYTES), context);
				} finally {
					dataKey.fill(0);
				}
			} catch (cause) {
				throw new SealedSecretError(context, cause);
			}
		},
	};
}

/**
 * The same secret with its data key under another KEK; undefined when it is already under that one. The secret itself is not decrypted.
 * Throws: SealedSecretError when neither key opens it.
 */
export function rewrap(sealed: Uint8Array, context: string, from: Uint8Array, to: Uint8Array): Buffer | undefined {
	try {
		const bytes = toBuffer(sealed);
		const isDone = bytes.subarray(0, HEADER_BYTES).equals(headerOf(to));
		const dataKey = openDataKey(bytes, isDone ? to : from, context);
		try {
			if (isDone) return undefined;
			const rest = bytes.subarray(HEADER_BYTES + WRAPPED_BYTES);
			return Buffer.concat([headerOf(to), encrypt(to, dataKey, context), rest]);
		} finally {
			dataKey.fill(0);
		}
	} catch (cause) {
		throw new SealedSecretError(context, cause);
	}
}

const headerOf = (kek: Uint8Array): Buffer => Buffer.concat([Buffer.from([VERSION]), idOfKek(kek)]);
const idIn = (bytes: Buffer): Buffer => bytes.subarray(1, HEADER_BYTES);
const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
	Buffer.from(buffer, byteOffset, byteLength);

function openDataKey(bytes: Buffer, kek: Uint8Array | undefined, context: string): Buffer {
	if (!kek || !bytes.subarray(0, HEADER_BYTES).equals(headerOf(kek))) throw new Error("wrapped under another key");
	return decrypt(kek, bytes.subarray(HEADER_BYTES, HEADER_BYTES + WRAPPED_BYTES), context);
}

function encrypt(key: Uint8Array, plain: Uint8Array, context: string): Buffer {
	const nonce = randomBytes(NONCE_BYTES);
	const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(context));
	return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Uint8Array, packed: Buffer, context: string): Buffer {
	const nonce = packed.subarray(0, NONCE_BYTES);
	const decipher = createDecipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(context));
	decipher.setAuthTag(packed.subarray(packed.length - TAG_BYTES));
	return Buffer.concat([decipher.update(packed.subarray(NONCE_BYTES, packed.length - TAG_BYTES)), decipher.final()]);
}
