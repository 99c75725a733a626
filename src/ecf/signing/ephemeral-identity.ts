/** A self-made signing identity for sandboxes and tests, which no authority has certified. */
import "reflect-metadata";
import { generateKeyPair, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import {
	BasicConstraintsExtension,
	KeyUsageFlags,
	KeyUsagesExtension,
	Name,
	SubjectKeyIdentifierExtension,
	X509CertificateGenerator,
} from "@peculiar/x509";
import type { IdentityBytes } from "./engine";

type EphemeralIdentityOptions = {
	/** The person who signs. Such a certificate never names a company. */
	readonly holderName: string;
	/** The person's Cédula, 11 digits. */
	readonly holderDocument: string;
	readonly notBefore: Date;
	readonly notAfter: Date;
};

const RSA_BITS = 2048;
const ALGORITHM = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const SERIAL_NUMBER_OID = "2.5.4.5";

const generateRsa = promisify(generateKeyPair);

/**
 * Creates an RSA-2048 key and a self-signed certificate in the form that accredited entities use. The subject is a person: `CN` and a serial number
 * `IDCDO-` with the Cédula. Key usage is digital signature and non-repudiation.
 */
export async function createEphemeralIdentity(options: EphemeralIdentityOptions): Promise<IdentityBytes> {
	const { publicKey, privateKey } = await generateRsa("rsa", {
		modulusLength: RSA_BITS,
		publicKeyEncoding: { type: "spki", format: "der" },
		privateKeyEncoding: { type: "pkcs8", format: "der" },
	});
	const keys = {
		publicKey: await crypto.subtle.importKey("spki", publicKey, ALGORITHM, true, ["verify"]),
		privateKey: await crypto.subtle.importKey("pkcs8", privateKey, ALGORITHM, false, ["sign"]),
	};
	const certificate = await X509CertificateGenerator.createSelfSigned(
		{
			serialNumber: randomSerialNumber(),
			name: new Name([
				// The typed form, because a plain text with quotation marks or a plus sign would be parsed.
				{ CN: [{ utf8String: options.holderName }] },
				{ [SERIAL_NUMBER_OID]: [{ printableString: `IDCDO-${options.holderDocument}` }] },
			]),
			notBefore: options.notBefore,
			notAfter: options.notAfter,
			signingAlgorithm: ALGORITHM,
			keys,
			extensions: [
				new BasicConstraintsExtension(false, undefined, true),
				new KeyUsagesExtension(KeyUsageFlags.digitalSignature | KeyUsageFlags.nonRepudiation, true),
				await SubjectKeyIdentifierExtension.create(keys.publicKey),
			],
		},
		crypto,
	);
	return { certificateDer: new Uint8Array(certificate.rawData), pkcs8Der: privateKey };
}

/** 126 random bits, positive and never zero. Source: RFC 5280, 4.1.2.2. */
function randomSerialNumber(): string {
	const bytes = randomBytes(16);
	bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
	return bytes.toString("hex");
}
