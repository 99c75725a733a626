/** Makes signing identities and signs documents with them, in both profiles. */
import "reflect-metadata";
import { createHash } from "node:crypto";
import { X509CertificateGenerator } from "@peculiar/x509";
import { DOMImplementation, DOMParser, XMLSerializer } from "@xmldom/xmldom";
import { SignedXml, setNodeDependencies } from "xadesjs";

setNodeDependencies({ DOMImplementation, DOMParser, XMLSerializer });

const ALGORITHM = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };

export type Identity = { readonly key: CryptoKey; readonly certificate: string; readonly thumbprint: string };

/** A self-made certificate for a cédula, valid around now by default. */
export async function makeIdentity(
	particulars: { cedula?: string; notAfter?: Date; keyBits?: number } = {},
): Promise<Identity> {
	const usages: KeyUsage[] = ["sign", "verify"];
	const parameters = {
		...ALGORITHM,
		modulusLength: particulars.keyBits ?? 2048,
		publicExponent: new Uint8Array([1, 0, 1]),
	};
	const keys = await crypto.subtle.generateKey(parameters, true, usages);
	const certificate = await X509CertificateGenerator.createSelfSigned({
		name: `CN=FIRMANTE DE PRUEBA, 2.5.4.5=IDCDO-${particulars.cedula ?? "00100000009"}`,
		notBefore: new Date(Date.now() - 400 * 86_400_000),
		notAfter: particulars.notAfter ?? new Date(Date.now() + 86_400_000),
		signingAlgorithm: ALGORITHM,
		keys,
	});
	const der = Buffer.from(certificate.rawData);
	const thumbprint = createHash("sha256").update(der).digest("hex");
	return { key: keys.privateKey, certificate: der.toString("base64"), thumbprint };
}

type KeyUsage = "sign" | "verify";

export type Profile = "xmldsig" | "xades-bes";

class PlainSignature extends SignedXml {
	protected override CreateQualifyingProperties(): void {
		// A plain signature qualifies nothing.
	}
}

/** The document with its signature as the last child of the root. */
export async function sign(xml: string, identity: Identity, profile: Profile = "xmldsig"): Promise<string> {
	const dom = new DOMParser().parseFromString(xml, "text/xml");
	const signed = profile === "xmldsig" ? new PlainSignature() : new SignedXml();
	await signed.Sign(ALGORITHM, identity.key, dom, {
		x509: [identity.certificate],
		references: [{ uri: "", hash: "SHA-256", transforms: ["enveloped"] }],
		...(profile === "xades-bes" ? { signingCertificateV2: identity.certificate } : {}),
	});
	return signed.toString();
}

/** The security code of a signed document. */
export function securityCodeOf(signed: string): string {
	return (/SignatureValue>([^<]+)</.exec(signed)?.[1] ?? "").replace(/\s/g, "").slice(0, 6);
}
