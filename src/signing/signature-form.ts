/**
 * The two digested pieces of a Signature as bytes with places in them, filled again and again.
 *
 * A frame's places hold digests and instants, whose texts have one width each; so what is hashed is written where it stood for
 * the document before, and nothing is joined or encoded. Signer and check have a keeper each: bytes that were spoiled on one
 * side do not fit the other's.
 */
import type { Frame, SignatureFrames, SubsetTags } from "./signature-frame";

/** What the bytes are is told until the next filling. */
export type Form = { readonly bytes: Buffer; readonly places: readonly number[]; readonly width: number };
export type DigestedForms = { readonly signedInfo: Form; readonly properties: Form | undefined };

/** A SHA-256 in base64. */
const DIGEST_WIDTH = 44;
/** An ISO instant with milliseconds, of the years 0 to 9999. */
const INSTANT_WIDTH = 24;

/** Gives the forms of a certificate's frames under a root; made once for each as long as the root's kind stays. */
export function createFormKeeper(): (frames: SignatureFrames, tags: SubsetTags) => DigestedForms {
	const kept = new WeakMap<SignatureFrames, { readonly tags: SubsetTags; readonly forms: DigestedForms }>();
	return (frames, tags) => {
		const found = kept.get(frames);
		if (found?.tags === tags) return found.forms;
		const forms = {
			signedInfo: layOut(tags.signedInfo, frames.signedInfo, DIGEST_WIDTH),
			properties: frames.properties && layOut(tags.properties, frames.properties, INSTANT_WIDTH),
		};
		kept.set(frames, { tags, forms });
		return forms;
	};
}

/** Throws an Error for a value that is not as wide as its place, or has none. */
export function fillForm({ bytes, places, width }: Form, values: readonly string[]): Buffer {
	if (values.length !== places.length) throw new Error(`expected ${places.length} values, got ${values.length}`);
	for (let i = 0; i < places.length; i++) {
		const value = values[i] ?? "";
		if (value.length !== width) throw new Error(`expected a value of ${width} characters, got ${value.length}`);
		bytes.write(value, places[i] ?? 0, "latin1");
	}
	return bytes;
}

function layOut(firstTag: string, frame: Frame, width: number): Form {
	const places: number[] = [];
	let text = firstTag;
	for (const [i, piece] of frame.entries()) {
		if (i > 0) {
			places.push(Buffer.byteLength(text));
			text += " ".repeat(width);
		}
		text += piece;
	}
	return { bytes: Buffer.from(text), places, width };
}
