/** The signer's certificate out of a signed document of ours. */

/** Our own signed bytes: no comment, no CDATA, and no text of a caller that could hold a `<`. */
const CERTIFICATE = /<(?:[A-Za-z]+:)?X509Certificate>([A-Za-z0-9+/=\s]+)</;

/** As PEM. Throws an Error for a document without one. */
export function certificateOf(xml: Uint8Array): string {
	const [, found] = CERTIFICATE.exec(new TextDecoder().decode(xml)) ?? [];
	if (found === undefined) throw new Error("the signed document holds no certificate");
	const lines = found.replace(/\s+/g, "").match(/.{1,64}/g) ?? [];
	return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
