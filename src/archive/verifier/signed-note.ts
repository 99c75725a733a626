/**
 * Reads the archive's checkpoints: signed notes, of which three lines and three extensions are signed. Those of an archive of one tree lack `logs`.
 *
 *     sello/archive/sandbox/0f3c…          origin: which log
 *     48211                                leaves in all logs
 *     q2x…=                                root over the logs, base64
 *     logs 64                              how many logs there are
 *     previous 5f0a…                       SHA-256 of the whole previous note, 64 zeros in the first
 *     at 2026-11-21T04:00:00.000Z
 *
 *     — sello/archive/sandbox/0f3c… Az3…   the signer's name, then base64 of key hash (4 bytes) and signature
 *
 * Source: c2sp.org/signed-note, c2sp.org/tlog-checkpoint.
 */
import { fromBase64, isSameBytes, joinBytes, toHex } from "../../platform/values";
import { sha256Hex, verifyEd25519 } from "./cryptography";
import { Refusal } from "./words";

export type VerifierKey = {
	readonly name: string;
	/** Hex, 8 digits. */
	readonly hash: string;
	readonly publicKey: Uint8Array;
	/** `name+hash+base64`. */
	readonly text: string;
};

export type Checkpoint = {
	readonly origin: string;
	readonly size: number;
	/** Hex. */
	readonly root: string;
	/** False if the root is the one of a single tree. */
	readonly hasLogs: boolean;
	/** Hex. */
	readonly previous: string;
	/** ISO instant. */
	readonly at: string;
	/** The bytes that are signed. */
	readonly text: Uint8Array;
	readonly signatures: readonly NoteSignature[];
};

type NoteSignature = { readonly name: string; readonly hash: string; readonly signature: Uint8Array };

/** Identifier of Ed25519 in signed notes. */
const ED25519 = 0x01;
const NOTE_CHARACTERS_MAX = 16_384;
const SIGNATURE_LINE = /^\u2014 ([^\s+]+) ([A-Za-z0-9+/=]+)$/;
const CHECKPOINT =
	/^([^\s+]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n(logs 64\n)?previous ([0-9a-f]{64})\nat (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\n(?:[^\n]+\n)*$/;

/** Reads `name+hash+base64(0x01 ‖ key)`. Throws: Refusal. */
export function readVerifierKey(text: string): VerifierKey {
	const [, name = "", hash = "", encoded = ""] =
		/^([^\s+]{1,500})\+([0-9a-f]{8})\+([A-Za-z0-9+/=]{1,100})$/.exec(text.trim()) ?? [];
	const bytes = fromBase64(encoded);
	const publicKey = bytes?.subarray(1);
	if (!bytes || publicKey?.length !== 32 || bytes[0] !== ED25519 || hashKey(name, bytes) !== hash) {
		throw new Refusal({
			en: `not a verifier key (name+hash+base64, Ed25519): ${text.trim().slice(0, 80)}`,
			es: `no es una clave de verificación (nombre+hash+base64, Ed25519): ${text.trim().slice(0, 80)}`,
		});
	}
	return { name, hash, publicKey, text: text.trim() };
}

export function isSameKey(one: VerifierKey, other: VerifierKey): boolean {
	return one.name === other.name && isSameBytes(one.publicKey, other.publicKey);
}

/** Throws: Refusal. */
export function readCheckpoint(note: string): Checkpoint {
	const split = note.lastIndexOf("\n\n");
	const text = note.slice(0, split + 1);
	const lines = note.slice(split + 2).split("\n");
	const [, origin = "", size = "", root = "", logs, previous = "", at = ""] = CHECKPOINT.exec(text) ?? [];
	const signatures = lines.slice(0, -1).flatMap(readSignature);
	const rootBytes = fromBase64(root);
	const isWhole = note.length <= NOTE_CHARACTERS_MAX && split > 0 && lines.at(-1) === "" && lines.length > 1;
	if (!isWhole || !rootBytes || signatures.length !== lines.length - 1 || !Number.isSafeInteger(Number(size))) {
		throw new Refusal({
			en: "the checkpoint is not a signed note of the archive",
			es: "el punto de control no es una nota firmada del archivo",
		});
	}
	return {
		...{ origin, size: Number(size), root: toHex(rootBytes), hasLogs: logs !== undefined, previous, at },
		...{ text: new TextEncoder().encode(text), signatures },
	};
}

/** Throws a Refusal unless the key signed the checkpoint. */
export async function checkNoteSignature({ text, signatures }: Checkpoint, key: VerifierKey): Promise<void> {
	const own = signatures.filter(({ name, hash }) => name === key.name && hash === key.hash);
	if (own.length === 0) {
		throw new Refusal({
			en: `the key ${key.name} has not signed the checkpoint`,
			es: `la clave ${key.name} no firmó el punto de control`,
		});
	}
	for (const { signature } of own) {
		if (await verifyEd25519(key.publicKey, text, signature)) continue;
		throw new Refusal({
			en: "the checkpoint's signature does not match its text and the key",
			es: "la firma del punto de control no corresponde a su texto y a la clave",
		});
	}
}

function readSignature(line: string): NoteSignature[] {
	const [, name, encoded = ""] = SIGNATURE_LINE.exec(line) ?? [];
	const bytes = fromBase64(encoded);
	if (name === undefined || !bytes || bytes.length < 5) return [];
	return [{ name, hash: toHex(bytes.subarray(0, 4)), signature: bytes.subarray(4) }];
}

/** Source: c2sp.org/signed-note, Signatures: SHA-256(name ‖ 0x0A ‖ algorithm ‖ key), the first four bytes. */
function hashKey(name: string, algorithmAndKey: Uint8Array): string {
	return sha256Hex(joinBytes(new TextEncoder().encode(`${name}\n`), algorithmAndKey)).slice(0, 8);
}
