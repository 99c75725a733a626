/**
 * Checks finished bytes before they are sent: reads them back and verifies them with the certificate.
 *
 * This is not a general verifier. It knows only the form that `src/ecf/signing/xades.ts` writes and refuses everything else. That makes it cheap
 * enough for every document: one pass over the markup, one comparison of the Signature, one of the document with the hashed bytes, the digest of the
 * properties, and one public-key operation. It finds defects of our own: a key that does not match the certificate, a text that a parser would read
 * differently from what was digested, a byte that changed on the way.
 */
import { isUtf8 } from "node:buffer";
import { fromSentForm, readRootScope } from "./canonical-form";
import type { SigningIdentity } from "./engine";
import {
	createFormKeeper,
	createScratch,
	createSignatureKeeper,
	digestAgain,
	fillForm,
	readForm,
} from "./signature-form";
import { framesFor, openSubsets, type SignatureFrames, sha256Base64 } from "./signature-frame";
import { XML_DECLARATION } from "./xades";

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const LESS = 0x3c;
const GREATER = 0x3e;
const AMPERSAND = 0x26;
const DECLARATION = Buffer.from(XML_DECLARATION);
/** Kept as bytes, because searching for a string would encode it each time. */
const SIGNATURE = Buffer.from("<Signature ");

const scratch = createScratch();
const formsOf = createFormKeeper();
const signatureForms = createSignatureKeeper();

/** Our own output does not verify. This is never the caller's fault, and nothing may be sent. */
export class SelfCheckError extends Error {
	constructor(readonly finding: string) {
		super(`the signed document does not verify: ${finding}`);
		this.name = "SelfCheckError";
	}
}

/** Verifies our own bytes with their certificate. Throws a SelfCheckError if anything is wrong. */
export function verifyOwnSignature(bytes: Uint8Array, { certificateDer, rsa }: SigningIdentity): void {
	const sent = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	if (!isUtf8(sent)) throw new SelfCheckError("it is not UTF-8");
	const start = sent.indexOf(SIGNATURE);
	const end = findLastTag(sent);
	const found = start < 0 ? undefined : readSignature(sent, start, end, certificateDer);
	if (!found) throw new SelfCheckError("its root does not end with one Signature of this certificate as we write it");

	const document = scratch.cut(sent, startsWith(sent, DECLARATION) ? DECLARATION.length : 0, start, end);
	const broken = findBrokenMarkup(document);
	if (broken !== undefined) throw new SelfCheckError(`it holds ${broken}`);
	const canonical = document.includes(AMPERSAND) ? Buffer.from(fromSentForm(document.toString())) : document;
	const [documentDigest, propertiesDigest] = found.digests;
	if (digestAgain(canonical) !== documentDigest) throw new SelfCheckError("the document's digest differs");

	const scope = readRootScope(document.toString("utf8", 0, document.indexOf(GREATER) + 1));
	const forms = formsOf(found.frames, openSubsets(scope));
	if (forms.properties && sha256Base64(fillForm(forms.properties, [found.signedAt])) !== propertiesDigest) {
		throw new SelfCheckError("the digest of its properties differs");
	}

	const signature = scratch.decode(found.value);
	// Several texts decode to the same bytes, and the security code is read from the text.
	if (signature.toBase64() !== found.value) throw new SelfCheckError("its value is not written as base64 is");
	if (!rsa.verify(fillForm(forms.signedInfo, found.digests), signature)) {
		throw new SelfCheckError("the certificate's key does not fit the signature");
	}
}

/** Offset of the last tag; 0 if there is none. */
function findLastTag(bytes: Buffer): number {
	let at = bytes.length - 1;
	while (at > 0 && bytes[at] !== LESS) at--;
	return Math.max(at, 0);
}

function startsWith(bytes: Buffer, first: Buffer): boolean {
	for (let i = 0; i < first.length; i++) if (bytes[i] !== first[i]) return false;
	return true;
}

type FoundSignature = {
	readonly frames: SignatureFrames;
	readonly digests: readonly string[];
	readonly value: string;
	readonly signedAt: string;
};

/** Reads the whole Signature: it must be one of the two frames of this certificate. */
function readSignature(
	sent: Buffer,
	start: number,
	end: number,
	certificateDer: Uint8Array,
): FoundSignature | undefined {
	const read = (frames: SignatureFrames): readonly string[] | undefined => {
		const form = signatureForms.ofBytes(frames, end - start);
		return form && readForm(form, sent, start, end);
	};
	const full = framesFor(certificateDer, "xades-bes");
	const [digest = "", propertiesDigest = "", value = "", signedAt = ""] = read(full) ?? [];
	if (INSTANT.test(signedAt)) return { frames: full, digests: [digest, propertiesDigest], value, signedAt };
	const plain = framesFor(certificateDer, "xmldsig");
	const places = read(plain);
	return places && { frames: plain, digests: [places[0] ?? ""], value: places[1] ?? "", signedAt: "" };
}

const SLASH = 0x2f;
const SPACE = 0x20;

/** Bytes that end a run of text or of a tag: `<`, `>` and control characters other than line feed and tab. */
const ENDS_RUN = Uint8Array.from({ length: 256 }, (_, byte) =>
	byte === LESS || byte === GREATER || (byte < SPACE && byte !== 0x0a && byte !== 0x09) ? 1 : 0,
);
const STARTS_NAME = Uint8Array.from({ length: 256 }, (_, byte) =>
	(byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) || byte === 0x5f || byte >= 0x80 ? 1 : 0,
);

/**
 * What is wrong with the markup of UTF-8 bytes without a document type; undefined if nothing is. One pass: every end tag closes the last open start
 * tag. There is one root and nothing around it; no empty-element tags, comments, instructions or CDATA; no `>` in text; no raw carriage return or
 * other character that a parser changes or refuses.
 */
export function findBrokenMarkup(bytes: Uint8Array): string | undefined {
	const { length } = bytes;
	if (length === 0) return "nothing at all";
	/** Offsets of the names of the open elements. */
	const open: number[] = [];
	let at = 0;
	// Each round starts at a tag and ends at the next one, after the text between them.
	do {
		if (bytes[at] !== LESS) return `text outside the root, at byte ${at}`;
		if (bytes[at + 1] === SLASH) {
			const end = endOfEndTag(bytes, at + 2, open.pop());
			if (end < 0) return `an end tag that closes nothing, at byte ${at}`;
			at = end + 1;
			if (open.length === 0) return at === length ? undefined : `something after the root, at byte ${at}`;
		} else {
			if (STARTS_NAME[bytes[at + 1] ?? 0] !== 1) return `a tag without a name, at byte ${at}`;
			open.push(at + 1);
			at = endOfRun(bytes, at + 2);
			if (bytes[at] !== GREATER || bytes[at - 1] === SLASH) return `a tag that does not end as one, at byte ${at}`;
			at++;
		}
		at = endOfRun(bytes, at);
		if (bytes[at] !== LESS && at < length) return `a character that may not stand in text, at byte ${at}`;
	} while (at < length);
	return "an element that is not closed";
}

function endOfRun(bytes: Uint8Array, from: number): number {
	let at = from;
	while (at < bytes.length && ENDS_RUN[bytes[at] ?? 0] === 0) at++;
	return at;
}

/** Offset of the end of an end tag that repeats the name at `nameAt`, or -1. */
function endOfEndTag(bytes: Uint8Array, from: number, nameAt: number | undefined): number {
	if (nameAt === undefined) return -1;
	let at = from;
	let name = nameAt;
	while (bytes[at] !== GREATER && bytes[at] === bytes[name]) {
		at++;
		name++;
	}
	return bytes[at] === GREATER && (bytes[name] === GREATER || bytes[name] === SPACE) ? at : -1;
}
