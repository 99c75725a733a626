/**
 * The content of a PKCS#12 container: its keys and certificates, without judging them.
 *
 *   PFX
 *   ├─ authSafe: OCTET STRING ─ SEQUENCE of content, each in clear or encrypted as a whole
 *   │                            └─ bags: certificates; keys in clear; keys encrypted once more ("shrouded")
 *   └─ macData: HMAC over authSafe, its key derived from the password
 *
 * node-forge does ASN.1, RC2 and triple DES; the runtime does PBKDF2 and AES. The traversal is our own because each key derivation must be counted
 * before it runs: a container of a few kilobytes can ask for billions of rounds, even from inside an encrypted part, which no check in advance would
 * see.
 *
 * Quirk: a password has two encodings, UTF-16 for the key derivation of PKCS#12 and for the MAC, UTF-8 for PBKDF2.
 *
 * Source: RFC 7292, sections 4 and 5, appendix B; RFC 8018, section 6.2 and appendix A.
 */

import { createDecipheriv, createHmac, pbkdf2Sync, timingSafeEqual } from "node:crypto";
import forge from "node-forge";
import { type Message, msg } from "../../platform/problem";
import { derivePkcs12, PKCS12_HASHES, SHA1 } from "./pkcs12-derivation";

export type Pkcs12Content = {
	/** PrivateKeyInfo of each key, DER, in clear. */
	readonly keys: readonly Buffer[];
	/** DER of each X.509 certificate, in the container's order. */
	readonly certificates: readonly Uint8Array[];
	/** Names of the obsolete ciphers that protect it. */
	readonly obsolete: readonly string[];
};

/** Why a container cannot be read, as a sentence for its owner. */
export class Unreadable extends Error {
	constructor(
		readonly code: "unreadable" | "wrong-password" | "too-expensive" | "not-supported",
		readonly sentence: Message,
	) {
		super(String(sentence));
		this.name = "Unreadable";
	}
}

const ITERATIONS_MAX = 100_000;
/** Limit for all derivations of a container: for its MAC, its certificate and its key. */
const ITERATIONS_TOTAL_MAX = 3 * ITERATIONS_MAX;

/** How to convert an old container into one that every program reads. */
export const EXPORT_AGAIN = msg`Export it again with today's encryption: openssl pkcs12 -legacy -in old.p12 -out all.pem, then openssl pkcs12 -export -in all.pem -out new.p12, and delete all.pem.`;

/** How to convert a container whose key derivation takes too long. */
const EXPORT_CHEAPER = msg`Export it again with fewer: openssl pkcs12 -in old.p12 -out all.pem, then openssl pkcs12 -export -in all.pem -iter 10000 -out new.p12, and delete all.pem.`;

const DATA = "1.2.840.113549.1.7.1";
const SIGNED_DATA = "1.2.840.113549.1.7.2";
const ENCRYPTED_DATA = "1.2.840.113549.1.7.6";
const KEY_BAG = "1.2.840.113549.1.12.10.1.1";
const SHROUDED_KEY_BAG = "1.2.840.113549.1.12.10.1.2";
const CERTIFICATE_BAG = "1.2.840.113549.1.12.10.1.3";
const X509_CERTIFICATE = "1.2.840.113549.1.9.22.1";
const PBES2 = "1.2.840.113549.1.5.13";
const PBKDF2 = "1.2.840.113549.1.5.12";

const PBKDF2_HASHES: Readonly<Record<string, string>> = {
	"1.2.840.113549.2.7": "sha1",
	"1.2.840.113549.2.9": "sha256",
	"1.2.840.113549.2.10": "sha384",
	"1.2.840.113549.2.11": "sha512",
};
const BLOCK_CIPHERS: Readonly<Record<string, { name: string; keyBytes: number }>> = {
	"1.2.840.113549.3.7": { name: "des-ede3-cbc", keyBytes: 24 },
	"2.16.840.1.101.3.4.1.2": { name: "aes-128-cbc", keyBytes: 16 },
	"2.16.840.1.101.3.4.1.22": { name: "aes-192-cbc", keyBytes: 24 },
	"2.16.840.1.101.3.4.1.42": { name: "aes-256-cbc", keyBytes: 32 },
};
const TRIPLE_DES = "1.2.840.113549.1.12.1.3";
const RC2_128 = "1.2.840.113549.1.12.1.5";
const RC2_40 = "1.2.840.113549.1.12.1.6";
const OBSOLETE: Readonly<Record<string, { name: string; keyBytes: number }>> = {
	[TRIPLE_DES]: { name: "triple DES", keyBytes: 24 },
	[RC2_128]: { name: "128-bit RC2", keyBytes: 16 },
	[RC2_40]: { name: "40-bit RC2", keyBytes: 5 },
};

/** Key derivation with a budget: a request beyond it is refused before any round runs. */
type Derivation = {
	readonly password: string;
	readonly spend: (iterations: number) => number;
	readonly obsolete: Set<string>;
};

/** Reads a container. Throws Unreadable with a sentence, or any parser error if the bytes are not a container. */
export function readPkcs12(bytes: Uint8Array, password: string): Pkcs12Content {
	let left = ITERATIONS_TOTAL_MAX;
	const derivation: Derivation = {
		password,
		obsolete: new Set(),
		spend(iterations) {
			left -= iterations;
			if (iterations > ITERATIONS_MAX || left < 0) {
				throw new Unreadable(
					"too-expensive",
					msg`The container asks for more than ${ITERATIONS_MAX} rounds of key derivation. ${EXPORT_CHEAPER}`,
				);
			}
			if (!(iterations >= 1)) throw new Unreadable("unreadable", msg`The container asks for no key derivation at all.`);
			return iterations;
		},
	};
	const [, authSafe, macData] = children(parse(Buffer.from(bytes)));
	const [contentType, wrapped] = children(authSafe);
	if (oid(contentType) === SIGNED_DATA) throw protectedOtherwise();
	// A bare certificate has the name of its signature algorithm in this place.
	if (oid(contentType) !== DATA) throw new Error("the bytes are another structure than a container");
	const safe = octets(children(wrapped)[0]);
	if (macData) checkMac(macData, safe, derivation);

	const keys: Buffer[] = [];
	const certificates: Uint8Array[] = [];
	for (const content of children(parse(safe))) {
		for (const bag of children(parse(openContent(content, derivation)))) {
			const [type, value] = children(bag);
			const inner = children(value)[0];
			if (oid(type) === KEY_BAG) keys.push(toDer(inner));
			else if (oid(type) === SHROUDED_KEY_BAG) keys.push(decrypt(children(inner), derivation));
			else if (oid(type) === CERTIFICATE_BAG) {
				const [kind, wrappedDer] = children(inner);
				if (oid(kind) === X509_CERTIFICATE) certificates.push(new Uint8Array(octets(children(wrappedDer)[0])));
			}
		}
	}
	return { keys, certificates, obsolete: [...derivation.obsolete] };
}

function checkMac(macData: forge.asn1.Asn1, safe: Buffer, derivation: Derivation): void {
	const [digestInfo, salt, rounds] = children(macData);
	const [algorithm, digest] = children(digestInfo);
	const hash = PKCS12_HASHES[oid(children(algorithm)[0])];
	if (!hash) {
		const sentence = msg`The container's integrity check is of a kind that is not supported. ${EXPORT_AGAIN}`;
		throw new Unreadable("not-supported", sentence);
	}
	const iterations = derivation.spend(rounds ? integer(rounds) : 1);
	const expected = octets(digest);
	// Checked first: a longer digest would repeat all rounds, beyond the budget.
	if (expected.length !== hash.bytes) throw wrongPassword();
	const key = derivePkcs12({
		...{ hash, password: derivation.password, salt: octets(salt), purpose: 3, iterations, bytes: hash.bytes },
	});
	const actual = createHmac(hash.name, key).update(safe).digest();
	if (!timingSafeEqual(actual, expected)) throw wrongPassword();
}

/** The bags of one part of the container, DER. */
function openContent(content: forge.asn1.Asn1, derivation: Derivation): Buffer {
	const [type, wrapped] = children(content);
	const inner = children(wrapped)[0];
	if (oid(type) === DATA) return octets(inner);
	if (oid(type) !== ENCRYPTED_DATA) throw protectedOtherwise();
	const [, encrypted] = children(inner);
	const [, algorithm, cipherText] = children(encrypted);
	return decrypt([algorithm, cipherText], derivation);
}

function decrypt([algorithm, cipherText]: (forge.asn1.Asn1 | undefined)[], derivation: Derivation): Buffer {
	const [scheme, parameters] = children(algorithm);
	const data = octets(cipherText);
	const plain =
		oid(scheme) === PBES2
			? decryptPbes2(children(parameters), data, derivation)
			: decryptLegacy(oid(scheme), children(parameters), data, derivation);
	// One wrong key in 256 leaves valid padding by chance, but not a complete SEQUENCE.
	if (!isSequence(plain)) throw wrongPassword();
	return plain;
}

function isSequence(der: Buffer): boolean {
	try {
		return parse(der).type === forge.asn1.Type.SEQUENCE;
	} catch {
		return false;
	}
}

function decryptPbes2([kdf, cipher]: forge.asn1.Asn1[], data: Buffer, derivation: Derivation): Buffer {
	const [kdfOid, kdfParameters] = children(kdf);
	const [cipherOid, iv] = children(cipher);
	const [salt, rounds, ...rest] = children(kdfParameters);
	const prf = rest.find((node) => node.type === forge.asn1.Type.SEQUENCE);
	const hash = prf ? PBKDF2_HASHES[oid(children(prf)[0])] : "sha1";
	const block = BLOCK_CIPHERS[oid(cipherOid)];
	if (oid(kdfOid) !== PBKDF2 || !hash || !block) throw unsupportedEncryption();
	const iterations = derivation.spend(integer(rounds));
	const key = pbkdf2Sync(Buffer.from(derivation.password), octets(salt), iterations, block.keyBytes, hash);
	try {
		const decipher = createDecipheriv(block.name, key, octets(iv));
		return Buffer.concat([decipher.update(data), decipher.final()]);
	} catch {
		throw wrongPassword();
	} finally {
		key.fill(0);
	}
}

function decryptLegacy(scheme: string, parameters: forge.asn1.Asn1[], data: Buffer, derivation: Derivation): Buffer {
	const [saltNode, rounds] = parameters;
	const cipher = OBSOLETE[scheme];
	if (!cipher) throw unsupportedEncryption();
	derivation.obsolete.add(cipher.name);
	const iterations = derivation.spend(integer(rounds));
	const salt = octets(saltNode);
	const key = deriveLegacy(derivation.password, salt, 1, iterations, cipher.keyBytes);
	// Deriving the IV takes the same number of rounds again.
	const iv = deriveLegacy(derivation.password, salt, 2, derivation.spend(iterations), 8);
	const input = forge.util.createBuffer(data.toString("latin1"));
	const [output, isComplete] = scheme === TRIPLE_DES ? runTripleDes(key, iv, input) : runRc2(key, iv, input);
	if (!isComplete) throw wrongPassword();
	return toBuffer(output);
}

type Bytes = forge.util.ByteBuffer;

function runTripleDes(key: Bytes, iv: Bytes, input: Bytes): [Bytes, boolean] {
	const cipher = forge.cipher.createDecipher("3DES-CBC", key);
	cipher.start({ iv });
	cipher.update(input);
	const isComplete = cipher.finish();
	return [cipher.output, isComplete];
}

function runRc2(key: Bytes, iv: Bytes, input: Bytes): [Bytes, boolean] {
	const cipher = forge.rc2.createDecryptionCipher(key, key.length() * 8);
	cipher.start(iv);
	cipher.update(input);
	const isComplete = cipher.finish();
	return [cipher.output, isComplete];
}

/** The obsolete ciphers all derive their keys with SHA-1. */
function deriveLegacy(password: string, salt: Buffer, purpose: 1 | 2, iterations: number, bytes: number): Bytes {
	const derived = derivePkcs12({ hash: SHA1, password, salt, purpose, iterations, bytes });
	return forge.util.createBuffer(derived.toString("latin1"));
}

function wrongPassword(): Unreadable {
	return new Unreadable("wrong-password", msg`The password is wrong, or the container is damaged.`);
}

function protectedOtherwise(): Unreadable {
	return new Unreadable("not-supported", msg`The container is protected by a certificate, not by a password.`);
}

function unsupportedEncryption(): Unreadable {
	const sentence = msg`The container is encrypted in a way that is not supported. ${EXPORT_AGAIN}`;
	return new Unreadable("not-supported", sentence);
}

function parse(der: Buffer): forge.asn1.Asn1 {
	return forge.asn1.fromDer(der.toString("latin1"));
}

function toDer(node: forge.asn1.Asn1 | undefined): Buffer {
	if (!node) throw new Error("expected an element, found none");
	return toBuffer(forge.asn1.toDer(node));
}

function toBuffer(bytes: Bytes): Buffer {
	return Buffer.from(bytes.getBytes(), "latin1");
}

function children(node: forge.asn1.Asn1 | undefined): forge.asn1.Asn1[] {
	if (!node || typeof node.value === "string") throw new Error("expected a constructed element");
	return node.value;
}

/** The bytes of an octet string, including a constructed one, as BER allows. */
function octets(node: forge.asn1.Asn1 | undefined): Buffer {
	if (!node) throw new Error("expected an octet string, found nothing");
	if (typeof node.value === "string") return Buffer.from(node.value, "latin1");
	return Buffer.concat(node.value.map(octets));
}

function oid(node: forge.asn1.Asn1 | undefined): string {
	if (node?.type !== forge.asn1.Type.OID || typeof node.value !== "string") throw new Error("expected an identifier");
	return forge.asn1.derToOid(node.value);
}

/** A non-negative integer; Infinity if it is longer than any allowed value. */
function integer(node: forge.asn1.Asn1 | undefined): number {
	if (typeof node?.value !== "string") throw new Error("expected an integer");
	const bytes = Buffer.from(node.value, "latin1");
	return bytes.length > 4 ? Number.POSITIVE_INFINITY : bytes.readIntBE(0, bytes.length);
}
