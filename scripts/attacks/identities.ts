/** The signers of the attack corpus: an authority, its genuine signer, and impostors. */
import "reflect-metadata";
import { createECDH, createPublicKey, type KeyObject } from "node:crypto";
import {
	BasicConstraintsExtension,
	Extension,
	KeyUsageFlags,
	KeyUsagesExtension,
	Name,
	X509CertificateGenerator,
} from "@peculiar/x509";
import { makeRsaKey } from "./keys";

export type Identity = { readonly certificateDer: Buffer; readonly privateKey: KeyObject };

type Wish = {
	/** The person in the subject. */
	readonly holder?: string;
	readonly subject?: string;
	readonly issuer?: string;
	readonly issuerKey?: KeyObject;
	readonly key?: KeyObject;
	readonly publicKey?: KeyObject;
	readonly notBefore?: string;
	readonly notAfter?: string;
	readonly serialNumber?: string;
	readonly usages?: number;
	readonly isAuthority?: boolean;
	readonly critical?: string;
	readonly hash?: "SHA-1" | "SHA-256";
};

const AUTHORITY = "ENTIDAD DE CERTIFICACION DE PRUEBA";
const PERSON = "JUANA PRUEBA";

const authorityKey = makeRsaKey("authority");
const signerKey = makeRsaKey("signer");
const strangerKey = makeRsaKey("stranger");
const weakKey = makeRsaKey("weak", 1_024);

const good = await certify({ serialNumber: "11" });

export const identities = {
	/** The trusted authority in the corpus's bundle. */
	authority: {
		certificateDer: await certify({
			subject: AUTHORITY,
			key: authorityKey.privateKey,
			publicKey: authorityKey.publicKey,
			isAuthority: true,
			usages: KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign,
			serialNumber: "01",
			notBefore: "2010-01-01T00:00:00Z",
			notAfter: "2050-01-01T00:00:00Z",
		}),
		privateKey: authorityKey.privateKey,
	},
	good: { certificateDer: good, privateKey: signerKey.privateKey },
	/** The genuine certificate with another key. */
	stolenCertificate: { certificateDer: good, privateKey: strangerKey.privateKey },
	otherGood: {
		certificateDer: await certify({ subject: "PEDRO PRUEBA", serialNumber: "12" }),
		privateKey: signerKey.privateKey,
	},
	selfMade: {
		certificateDer: await certify({
			issuer: PERSON,
			issuerKey: strangerKey.privateKey,
			...strangers(),
			serialNumber: "21",
		}),
		privateKey: strangerKey.privateKey,
	},
	/** Issued by an authority of the same name. */
	namesake: {
		certificateDer: await certify({ issuerKey: strangerKey.privateKey, ...strangers(), serialNumber: "22" }),
		privateKey: strangerKey.privateKey,
	},
	otherAuthority: {
		certificateDer: await certify({
			issuer: "OTRA ENTIDAD",
			issuerKey: strangerKey.privateKey,
			...strangers(),
			serialNumber: "23",
		}),
		privateKey: strangerKey.privateKey,
	},
	expired: {
		certificateDer: await certify({
			notBefore: "2020-01-01T00:00:00Z",
			notAfter: "2022-01-01T00:00:00Z",
			serialNumber: "24",
		}),
		privateKey: signerKey.privateKey,
	},
	notYetValid: {
		certificateDer: await certify({
			notBefore: "2040-01-01T00:00:00Z",
			notAfter: "2042-01-01T00:00:00Z",
			serialNumber: "25",
		}),
		privateKey: signerKey.privateKey,
	},
	weak: {
		certificateDer: await certify({ key: weakKey.privateKey, publicKey: weakKey.publicKey, serialNumber: "26" }),
		privateKey: weakKey.privateKey,
	},
	elliptic: {
		certificateDer: await certify({ publicKey: makeEllipticKey(), serialNumber: "27" }),
		privateKey: signerKey.privateKey,
	},
	encryptsOnly: {
		certificateDer: await certify({ usages: KeyUsageFlags.keyEncipherment, serialNumber: "28" }),
		privateKey: signerKey.privateKey,
	},
	subordinateAuthority: {
		certificateDer: await certify({
			isAuthority: true,
			usages: KeyUsageFlags.keyCertSign | KeyUsageFlags.digitalSignature,
			serialNumber: "29",
		}),
		privateKey: signerKey.privateKey,
	},
	strangeExtension: {
		certificateDer: await certify({ critical: "1.3.6.1.4.1.99999.1", serialNumber: "2a" }),
		privateKey: signerKey.privateKey,
	},
	issuedWithSha1: {
		certificateDer: await certify({ hash: "SHA-1", serialNumber: "2b" }),
		privateKey: signerKey.privateKey,
	},
	bytesBehind: {
		certificateDer: Buffer.concat([good, Buffer.from([5, 0])]),
		privateKey: signerKey.privateKey,
	},
	cutShort: { certificateDer: good.subarray(0, 400), privateKey: signerKey.privateKey },
} as const satisfies Record<string, Identity>;

/** Another person certified by the authority; the digits are those of a cédula. */
export async function certifyPerson(digits: string, name = `PERSONA ${digits}`): Promise<Identity> {
	const certificateDer = await certify({ holder: `IDCDO-${digits}`, subject: name });
	return { certificateDer, privateKey: signerKey.privateKey };
}

function strangers(): Wish {
	return { key: strangerKey.privateKey, publicKey: strangerKey.publicKey };
}

async function certify(wish: Wish): Promise<Buffer> {
	const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: wish.hash ?? "SHA-256" };
	const publicKey = wish.publicKey ?? signerKey.publicKey;
	const isElliptic = publicKey.asymmetricKeyType === "ec";
	const certificate = await X509CertificateGenerator.create(
		{
			serialNumber: wish.serialNumber ?? "01",
			subject: toName(wish.subject ?? PERSON, wish.isAuthority ?? false, wish.holder),
			issuer: toName(wish.issuer ?? AUTHORITY, wish.issuer === undefined),
			notBefore: new Date(wish.notBefore ?? "2026-01-01T00:00:00Z"),
			notAfter: new Date(wish.notAfter ?? "2030-01-01T00:00:00Z"),
			signingAlgorithm: algorithm,
			publicKey: await crypto.subtle.importKey(
				"spki",
				new Uint8Array(publicKey.export({ type: "spki", format: "der" })),
				isElliptic ? { name: "ECDSA", namedCurve: "P-256" } : algorithm,
				true,
				["verify"],
			),
			signingKey: await crypto.subtle.importKey(
				"pkcs8",
				new Uint8Array((wish.issuerKey ?? authorityKey.privateKey).export({ type: "pkcs8", format: "der" })),
				algorithm,
				false,
				["sign"],
			),
			extensions: [
				new BasicConstraintsExtension(wish.isAuthority ?? false, undefined, true),
				new KeyUsagesExtension(wish.usages ?? KeyUsageFlags.digitalSignature | KeyUsageFlags.nonRepudiation, true),
				...(wish.critical ? [new Extension(wish.critical, true, Buffer.from([5, 0]))] : []),
			],
		},
		crypto,
	);
	return Buffer.from(certificate.rawData);
}

function toName(text: string, isAuthority: boolean, holder = "IDCDO-00100000009"): Name {
	const person = [{ CN: [{ utf8String: text }] }, { "2.5.4.5": [{ printableString: holder }] }];
	return new Name(isAuthority ? [{ CN: [{ utf8String: text }] }] : person);
}

function makeEllipticKey(): KeyObject {
	const pair = createECDH("prime256v1");
	pair.setPrivateKey(Buffer.alloc(32, 7));
	const point = pair.getPublicKey();
	const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
	return createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
}
