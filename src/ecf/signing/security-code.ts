const OPENING = Buffer.from("<SignatureValue>");
const CODE_CHARACTERS = 6;

/**
 * The security code of a signed document: the first six characters of the text of `SignatureValue`.
 * Case counts; `+` and `/` occur. Source: the authority's technical description, printed representation.
 */
export function readSecurityCode(signedXml: Uint8Array): string {
	const bytes =
		signedXml instanceof Buffer ? signedXml : Buffer.from(signedXml.buffer, signedXml.byteOffset, signedXml.byteLength);
	const at = bytes.lastIndexOf(OPENING);
	if (at < 0) throw new Error("expected a signed document, found no SignatureValue");
	const start = at + OPENING.length;
	return bytes.toString("latin1", start, start + CODE_CHARACTERS);
}
