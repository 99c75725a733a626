/**
 * The pieces of a Signature as bytes with placeholders that are filled again and again.
 *
 * The placeholders of a frame hold digests, instants and one signature value, whose texts have fixed widths under one certificate. So the values
 * overwrite those of the previous document, and nothing is joined or encoded. Signer and check have keepers of their own: bytes that are corrupted on
 * one side do not match the other's.
 */
import { type Frame, type SignatureFrames, type SubsetTags, sha256Base64 } from "./signature-frame";

type Place = { readonly at: number; readonly width: number };
/** The bytes are valid until the next filling. */
export type Form = { readonly bytes: Buffer; readonly places: readonly Place[] };
type DigestedForms = { readonly signedInfo: Form; readonly properties: Form | undefined };

/** A SHA-256 in base64. */
const DIGEST_WIDTH = 44;
/** An ISO instant with milliseconds, years 0 to 9999. */
const INSTANT_WIDTH = 24;

/** Returns the digested forms of a certificate's frames under a root. They are computed once as long as the kind of root stays the same. */
export function createFormKeeper(): (frames: SignatureFrames, tags: SubsetTags) => DigestedForms {
	const kept = new WeakMap<SignatureFrames, { readonly tags: SubsetTags; readonly forms: DigestedForms }>();
	return (frames, tags) => {
		const found = kept.get(frames);
		if (found?.tags === tags) return found.forms;
		const forms = {
			signedInfo: layOut(frames.signedInfo, digestWidths(frames), tags.signedInfo),
			properties: frames.properties && layOut(frames.properties, [INSTANT_WIDTH], tags.properties),
		};
		kept.set(frames, { tags, forms });
		return forms;
	};
}

/** The forms of whole Signatures, by the width of their value or by their total length. One is kept for each certificate. */
type SignatureKeeper = {
	readonly ofValue: (frames: SignatureFrames, valueWidth: number) => Form;
	/** Undefined if there are fewer bytes than a Signature with a value has. */
	readonly ofBytes: (frames: SignatureFrames, bytes: number) => Form | undefined;
};

export function createSignatureKeeper(): SignatureKeeper {
	/** `bare` is the length without the value. */
	type Kept = { readonly bare: number; readonly form: Form };
	const kept = new WeakMap<SignatureFrames, Kept>();
	const keep = (frames: SignatureFrames, valueWidth: number): Kept => {
		const form = layOut(frames.signature, signatureWidths(frames, valueWidth));
		const made = { bare: form.bytes.length - valueWidth, form };
		kept.set(frames, made);
		return made;
	};
	const ofValue = (frames: SignatureFrames, valueWidth: number): Form => {
		const found = kept.get(frames);
		return found && found.form.bytes.length - found.bare === valueWidth ? found.form : keep(frames, valueWidth).form;
	};
	return {
		ofValue,
		ofBytes: (frames, bytes) => {
			const { bare } = kept.get(frames) ?? keep(frames, 0);
			return bytes > bare ? ofValue(frames, bytes - bare) : undefined;
		},
	};
}

/** Throws an Error for a missing value or one of another width than its placeholder. */
export function fillForm({ bytes, places }: Form, values: readonly string[]): Buffer {
	if (values.length !== places.length) throw new Error(`expected ${places.length} values, got ${values.length}`);
	for (let i = 0; i < places.length; i++) {
		const value = values[i] ?? "";
		const { at, width } = places[i] ?? { at: 0, width: 0 };
		if (value.length !== width) throw new Error(`expected a value of ${width} characters, got ${value.length}`);
		bytes.write(value, at, "latin1");
	}
	return bytes;
}

/** The values in the form's placeholders if the bytes from `start` to `end` are this form; otherwise undefined. */
export function readForm(form: Form, bytes: Buffer, start: number, end: number): string[] | undefined {
	const values = form.places.map(({ at, width }) => bytes.toString("latin1", start + at, start + at + width));
	return bytes.compare(fillForm(form, values), 0, form.bytes.length, start, end) === 0 ? values : undefined;
}

const digestWidths = ({ properties }: SignatureFrames): number[] =>
	properties ? [DIGEST_WIDTH, DIGEST_WIDTH] : [DIGEST_WIDTH];

function signatureWidths(frames: SignatureFrames, valueWidth: number): number[] {
	return [...digestWidths(frames), valueWidth, ...(frames.properties ? [INSTANT_WIDTH] : [])];
}

function layOut(frame: Frame, widths: readonly number[], firstTag = ""): Form {
	const places: Place[] = [];
	let text = firstTag;
	for (const [i, piece] of frame.entries()) {
		if (i > 0) {
			const width = widths[i - 1] ?? 0;
			places.push({ at: Buffer.byteLength(text), width });
			text += " ".repeat(width);
		}
		text += piece;
	}
	return { bytes: Buffer.from(text), places };
}

/** Most documents fit; larger ones get their own memory. */
const KEPT_BYTES = 256 * 1024;
const encoder = new TextEncoder();

type Scratch = {
	/** The text's UTF-8 bytes. */
	readonly encode: (text: string) => Buffer;
	/** The bytes from `from`, without those from `start` to `end`. */
	readonly cut: (bytes: Buffer, from: number, start: number, end: number) => Buffer;
	/** The decoded base64; empty if the text does not fit. */
	readonly decode: (base64: string) => Buffer;
};

export function createScratch(): Scratch {
	const kept = Buffer.allocUnsafeSlow(KEPT_BYTES);
	return {
		encode(text) {
			// A UTF-16 unit becomes three bytes at most.
			if (text.length * 3 > KEPT_BYTES) return Buffer.from(text);
			return kept.subarray(0, encoder.encodeInto(text, kept).written);
		},
		cut(bytes, from, start, end) {
			const length = start - from + bytes.length - end;
			if (length > KEPT_BYTES) return Buffer.concat([bytes.subarray(from, start), bytes.subarray(end)]);
			bytes.copy(kept, 0, from, start);
			bytes.copy(kept, start - from, end);
			return kept.subarray(0, length);
		},
		decode(base64) {
			return kept.subarray(0, base64.length > KEPT_BYTES ? 0 : kept.write(base64, 0, "base64"));
		},
	};
}

const DIGEST_BYTES = 32;

const scratch = createScratch();
const digest = new Uint8Array(DIGEST_BYTES);
/** The bytes that `digest` belongs to. */
let hashed: Buffer | undefined;

/**
 * The digest of a text's UTF-8 bytes, in base64. It is needed again when the finished bytes are read back, so bytes and digest are kept. Comparing
 * with a copy takes a twentieth of the time of hashing again. A byte that changes in the signer's memory, in the finished bytes or here makes the two
 * differ. Only a SHA-256 that was wrong from the start goes unnoticed.
 */
export function digestText(text: string): string {
	// Cleared first, in case filling the memory throws.
	hashed = undefined;
	const bytes = scratch.encode(text);
	Bun.SHA256.hash(bytes, digest);
	hashed = bytes;
	return digest.toBase64();
}

/** The digest of bytes that are nearly always those of the last text. */
export function digestAgain(bytes: Buffer): string {
	return hashed?.equals(bytes) ? digest.toBase64() : sha256Base64(bytes);
}
