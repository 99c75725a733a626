/** Web Cryptography, which servers and browsers have, and SHA-256 in hex. */

import { createHash } from "node:crypto";
import { Refusal } from "./words";

const ED25519 = { name: "Ed25519" };

/** Throws a Refusal if there is none: browsers offer it to secure pages only. */
export function requireCryptography(): SubtleCrypto {
	// The types declare it as always present.
	const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle;
	if (subtle) return subtle;
	throw new Refusal({
		en: "this browser offers no cryptography to this page: save the page and open it as a file, or over https",
		es: "este navegador no da criptografía a la página: guárdela y ábrala como archivo, o por https",
	});
}

/** Throws a Refusal if the browser does not support it. */
export async function verifyEd25519(
	publicKey: Uint8Array,
	signed: Uint8Array,
	signature: Uint8Array,
): Promise<boolean> {
	const subtle = requireCryptography();
	if (signature.length !== 64) return false;
	let key: CryptoKey;
	try {
		key = await subtle.importKey("raw", new Uint8Array(publicKey), ED25519, false, ["verify"]);
	} catch {
		throw new Refusal({
			en: "this browser cannot verify Ed25519: use a newer one (Chrome 137, Firefox 130, Safari 17) or the command line",
			es: "este navegador no verifica Ed25519: use uno más nuevo (Chrome 137, Firefox 130, Safari 17) o la línea de órdenes",
		});
	}
	return subtle.verify(ED25519, key, new Uint8Array(signature), new Uint8Array(signed));
}

export function sha256Hex(bytes: Uint8Array): string {
	return createHash("sha256").update(bytes).digest("hex");
}
