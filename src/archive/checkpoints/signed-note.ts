/**
 * Signed notes: a text that a person can read, and below it who signed it.
 *
 *   sello/archive/sandbox/0f3c…                        the text, up to and with the line feed of its last line
 *   48211
 *                                                      an empty line
 *   — sello/archive/sandbox/0f3c…/9b1d2e3f XbW…==      the key's name, then base64 of 4 bytes of the key's hash and 64 of Ed25519
 *
 * The text of a checkpoint is its origin, the number of leaves, the root in base64, and three extensions of ours: `logs`, over how many logs the root
 * is; `previous`, the SHA-256 of the whole previous note in hex (64 zeros in the first); and `at`, the time.
 *
 * Source: c2sp.org/signed-note, c2sp.org/tlog-checkpoint. Signatures of unknown keys are ignored, as it says.
 */
import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { LOG_COUNT } from "../merkle";

/** The public part of a key, with the name that its signatures carry. */
export type NoteKey = {
	readonly name: string;
	/** 32 bytes. */
	readonly publicKey: Uint8Array;
};

/** A text is not a note, or no known key signed it. */
export class NoteError extends Error {
	constructor(readonly fault: string) {
		super(`not a signed note: ${fault}`);
		this.name = "NoteError";
	}
}

const ED25519 = 0x01;
/** DER of a SubjectPublicKeyInfo before the 32 bytes of an Ed25519 key. Source: RFC 8410, 4. */
const SPKI = Buffer.from("302a300506032b6570032100", "hex");
const SIGNATURE_LINE = /^— (\S+) ([A-Za-z0-9+/]+={0,2})$/;

/** The first 4 bytes of SHA-256(name ‖ 0x0A ‖ 0x01 ‖ public key). */
function keyHashOf({ name, publicKey }: NoteKey): Buffer {
	return createHash("sha256").update(`${name}\n`).update(Buffer.of(ED25519)).update(publicKey).digest().subarray(0, 4);
}

/** The form of a key for verifiers: `name+hash+base64(0x01 ‖ public key)`. */
export function toVerifierKey(key: NoteKey): string {
	const encoded = Buffer.concat([Buffer.of(ED25519), key.publicKey]).toString("base64");
	return `${key.name}+${keyHashOf(key).toString("hex")}+${encoded}`;
}

/** Throws: NoteError. */
export function readVerifierKey(text: string): NoteKey {
	const [, name, hash, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/.exec(text) ?? [];
	const bytes = Buffer.from(encoded ?? "", "base64");
	if (name === undefined || bytes.length !== 33 || bytes[0] !== ED25519) throw new NoteError("not a verifier key");
	const key = { name, publicKey: new Uint8Array(bytes.subarray(1)) };
	if (keyHashOf(key).toString("hex") !== hash) throw new NoteError("the verifier key's hash is another key's");
	return key;
}

/** The note of a text, which ends with a line feed. The same key and text always give the same note. */
export function signNote(text: string, signer: NoteKey & { readonly privateKey: KeyObject }): string {
	const signature = sign(null, Buffer.from(text), signer.privateKey);
	return `${text}\n— ${signer.name} ${Buffer.concat([keyHashOf(signer), signature]).toString("base64")}\n`;
}

/** The text of a note and the key that signed it. Throws NoteError unless one of the keys signed it and none of their signatures is wrong. */
export function openNote<K extends NoteKey>(note: string, keys: readonly K[]): { text: string; key: K } {
	const at = note.lastIndexOf("\n\n");
	if (at < 0 || !note.endsWith("\n")) throw new NoteError("it has no text and signatures");
	const text = note.slice(0, at + 1);
	const lines = note.slice(at + 2, -1).split("\n");
	let signedBy: K | undefined;
	for (const line of lines) {
		const [, name, encoded = ""] = SIGNATURE_LINE.exec(line) ?? [];
		if (name === undefined) throw new NoteError("a signature is not written as one");
		const bytes = Buffer.from(encoded, "base64");
		const key = keys.find((one) => one.name === name && keyHashOf(one).equals(bytes.subarray(0, 4)));
		if (!key) continue;
		if (!isSignedBy(key, text, bytes.subarray(4))) throw new NoteError(`the signature of ${name} does not hold`);
		signedBy ??= key;
	}
	if (!signedBy) throw new NoteError("no known key has signed it");
	return { text, key: signedBy };
}

function isSignedBy({ publicKey }: NoteKey, text: string, signature: Buffer): boolean {
	const key = createPublicKey({ key: Buffer.concat([SPKI, publicKey]), format: "der", type: "spki" });
	return signature.length === 64 && verify(null, Buffer.from(text), key, signature);
}

export type CheckpointText = {
	readonly origin: string;
	/** The leaves of all logs. */
	readonly size: number;
	/** Over the logs. Hex. */
	readonly root: string;
	/** Hex. */
	readonly previous: string;
	readonly madeAt: Date;
};

/** `previous` of the first checkpoint. */
export const NOTHING_BEFORE = "0".repeat(64);

const FORM =
	/^([^\s+]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\nlogs 64\nprevious ([0-9a-f]{64})\nat (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\n$/;

export function writeCheckpoint({ origin, size, root, previous, madeAt }: CheckpointText): string {
	const base64 = Buffer.from(root, "hex").toString("base64");
	return `${origin}\n${size}\n${base64}\nlogs ${LOG_COUNT}\nprevious ${previous}\nat ${madeAt.toISOString()}\n`;
}

/** Throws: NoteError. */
export function readCheckpoint(text: string): CheckpointText {
	const [, origin, size, root, previous, at] = FORM.exec(text) ?? [];
	if (origin === undefined || root === undefined || previous === undefined || at === undefined)
		throw new NoteError("its text is not a checkpoint of this archive");
	const hex = Buffer.from(root, "base64").toString("hex");
	return { origin, size: Number(size), root: hex, previous, madeAt: new Date(at) };
}
