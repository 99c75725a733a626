/**
 * The six characters printed under the QR code: the beginning of the text of `SignatureValue`.
 * Source: the authority's technical description, printed representation. Case counts, and `+` and `/` occur.
 */
export function readSecurityCode(signedXml: Uint8Array): string {
	const at = Buffer.from(signedXml.buffer, signedXml.byteOffset, signedXml.byteLength).lastIndexOf(OPENING);
	if (at < 0) throw new Error("expected a signed document with a SignatureValue");
	const start = at + OPENING.length;
	return Buffer.from(signedXml.subarray(start, start + CODE_LENGTH)).toString("latin1");
}

const OPENING = "<SignatureValue>";
const CODE_LENGTH = 6;
