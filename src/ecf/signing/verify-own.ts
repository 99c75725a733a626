/**
 * Checks what we are about to send: reads the finished bytes back and verifies them with the certificate.
 *
 * It is no general verifier. It knows the one form that `xades.ts` writes and refuses everything else, which makes it cheap
 * enough for every document: one pass over the markup, one comparison of the Signature and one of the document with what was
 * hashed, the digest of the properties, one public-key operation.
 * What it finds is a defect of ours: a key that is not the certificate's, a text that a parser would read differently
 * from what was digested, a byte that changed on the way.
 */
import { isUtf8 } from "node:buffer";
import { fromSentForm } from "./canonical-text";
import { digestAgain } from "./digest-once";
import type { SigningIdentity } from "./identity";
import { findBrokenMarkup } from "./markup";
import { readRootScope } from "./root-scope";
import { createScratch } from "./scratch";
import { createFormKeeper, createSignatureKeeper, fillForm, readForm } from "./signature-form";
import { framesFor, openSubsets, type SignatureFrames, sha256Base64 } from "./signature-frame";
import { XML_DECLARATION } from "./xades";

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const LESS = 0x3c;
const GREATER = 0x3e;
const AMPERSAND = 0x26;
const DECLARATION = Buffer.from(XML_DECLARATION);
/** As bytes: a text that is looked for would be made into bytes each time. */
const SIGNATURE = Buffer.from("<Signature ");

const scratch = createScratch();
const formsOf = createFormKeeper();
const signatureForms = createSignatureKeeper();

/** Our own output does not verify. Never the caller's fault; nothing may be sent. */
export class SelfCheckError extends Error {
	constructor(readonly finding: string) {
		super(`the signed document does not verify: ${finding}`);
		this.name = "SelfCheckError";
	}
}

/** Verifies our own bytes with the certificate they were signed for. Throws a SelfCheckError when anything is off. */
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
	// Several texts decode to the same bytes; the security code is read from the text.
	if (signature.toBase64() !== found.value) throw new SelfCheckError("its value is not written as base64 is");
	if (!rsa.verify(fillForm(forms.signedInfo, found.digests), signature)) {
		throw new SelfCheckError("the certificate's key does not fit the signature");
	}
}

/** Where the last tag begins; the beginning when there is none. */
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

/** Takes the Signature apart, whole: it is one of the two frames of this certificate, and nothing else is in it. */
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
