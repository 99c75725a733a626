/**
 * Envelope encryption of stored secrets: each secret under a data key of its own, the data key under the key-encryption key
 * (KEK), which never enters the database.
 *
 *   offset  bytes  meaning
 *        0      1  version, 1
 *        1      8  first 8 bytes of SHA-256 of the KEK: tells which key wrapped it
 *        9     12  nonce of the wrapped data key
 *       21     48  data key, AES-256-GCM under the KEK (32 bytes and tag)
 *       69     12  nonce of the secret
 *       81      n  secret, AES-256-GCM under the data key (and 16 bytes of tag)
 *
 * Both encryptions are bound to `context` as additional data: a row copied to another tenant does not open.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

export type Envelope = {
	/** Encrypts a secret for one place, such as `signing-key|<tenant>|<certificate>`. */
	readonly seal: (secret: Uint8Array, context: string) => Uint8Array;
	/** Decrypts it for the same place. Throws SealedSecretError when the key, the context or a byte differs. */
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

export function createEnvelope(kek: Uint8Array): Envelope {
	if (kek.length !== KEY_BYTES) throw new RangeError(`expected a key-encryption key of 32 bytes, got ${kek.length}`);
	const header = Buffer.concat([Buffer.from([VERSION]), createHash("sha256").update(kek).digest().subarray(0, 8)]);
	return {
		seal(secret, context) {
			const dataKey = randomBytes(KEY_BYTES);
			try {
				return Buffer.concat([header, encrypt(kek, dataKey, context), encrypt(dataKey, secret, context)]);
			} finally {
				dataKey.fill(0);
			}
		},
		open(sealed, context) {
			try {
				const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
				if (!bytes.subarray(0, HEADER_BYTES).equals(header)) throw new Error("wrapped under another key");
				const dataKey = decrypt(kek, bytes.subarray(HEADER_BYTES, HEADER_BYTES + WRAPPED_BYTES), context);
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
