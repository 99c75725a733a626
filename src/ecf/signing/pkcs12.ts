/**
 * Opens the container in which an accredited entity delivers a signing certificate.
 *
 * It must hold one RSA key of 2048 bits or more and the matching certificate. The certificate must be valid today, allow signing, and satisfy our
 * verifier, so that receivers accept what it signs. A chain beside it is ignored.
 *
 * The file is untrusted: its size and its key-derivation work are limited before any work is done. Every refusal says what the owner can do.
 *
 * Source: RFC 7292 (PKCS #12).
 */
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { type Message, msg, Problem } from "../../platform/problem";
import { isSameBytes } from "../../platform/values";
import { judgeSigner, readSignerTraits, type SignerTraits } from "../certificate";
import type { Warning } from "../mapping";
import { describeFault } from "../verification";
import type { IdentityBytes } from "./engine";
import { EXPORT_AGAIN, type Pkcs12Content, readPkcs12, Unreadable } from "./pkcs12-container";
import { PKCS12_BYTES_MAX } from "./sign-job";

const RSA_BITS_MIN = 2048;

/** What is wrong, for programs. `wrong-password` concerns the password, all others the container. */
type Reason =
	| Unreadable["code"]
	| "too-large"
	| "no-private-key"
	| "no-certificate"
	| "unreadable-private-key"
	| "unreadable-certificate"
	| "not-rsa"
	| "weak-key"
	| "key-does-not-fit"
	| "several-certificates"
	| "not-yet-valid"
	| "expired"
	| "wrong-key-usage"
	| "authority-certificate"
	| "unfit-certificate";

type OpenedPkcs12 = IdentityBytes & { readonly warnings: readonly Warning[] };

/**
 * Reads the signing identity from a PKCS#12 container. The certificate must be valid at `validAt`; `now` only decides how a refusal is worded.
 * Containers with RC2 and triple DES are accepted with a warning, because several entities still issue them. Throws: certificate-invalid, with one
 * fault for the reason.
 */
export function openPkcs12(bytes: Uint8Array, password: string, validAt: Date, now = validAt): OpenedPkcs12 {
	if (bytes.length > PKCS12_BYTES_MAX) {
		throw refuse("too-large", msg`The container is larger than ${PKCS12_BYTES_MAX / 1024} KiB.`);
	}
	const content = readContent(bytes, password);
	try {
		const { key, certificateDer } = choosePair(findPairs(content), { validAt, now });
		const pkcs8Der = key.export({ type: "pkcs8", format: "der" });
		return { certificateDer, pkcs8Der, warnings: warnOfObsolete(content.obsolete) };
	} finally {
		for (const der of content.keys) der.fill(0);
	}
}

function readContent(bytes: Uint8Array, password: string): Pkcs12Content {
	try {
		return readPkcs12(bytes, password);
	} catch (cause) {
		if (cause instanceof Unreadable) throw refuse(cause.code, cause.sentence, cause);
		throw refuse("unreadable", msg`The file is not a readable PKCS#12 container.`, cause);
	}
}

type Pair = { readonly key: KeyObject; readonly certificateDer: Uint8Array };

/** The certificates whose key is there too; a chain has no keys. A certificate that occurs twice, alone and in its chain, counts once. */
function findPairs(content: Pkcs12Content): Pair[] {
	const keys = content.keys.map(importRsaKey);
	const certificates = content.certificates.filter(
		(der, at, all) => all.findIndex((other) => isSameBytes(other, der)) === at,
	);
	if (keys.length === 0) throw refuse("no-private-key", msg`The container holds no private key.`);
	if (certificates.length === 0) throw refuse("no-certificate", msg`The container holds no certificate.`);
	const pairs = certificates.flatMap((certificateDer): Pair[] => {
		const certificate = readX509(certificateDer);
		const key = keys.find((candidate) => certificate.checkPrivateKey(candidate));
		return key ? [{ key, certificateDer }] : [];
	});
	if (pairs.length === 0) {
		throw refuse("key-does-not-fit", msg`The private key does not belong to the certificate.`);
	}
	return pairs;
}

/** The pair that may sign. An expired certificate may lie beside its renewal. */
function choosePair(pairs: readonly Pair[], when: When): Pair {
	const judged = pairs.map((pair) => ({ pair, refusal: judge(readTraits(pair.certificateDer), when) }));
	const [fit, another] = judged.filter(({ refusal }) => refusal === undefined);
	if (another) {
		const detail = msg`The container holds several certificates with their keys; export only the one that is to sign.`;
		throw refuse("several-certificates", detail);
	}
	if (!fit) throw judged[0]?.refusal ?? new Error("no pair was judged");
	return fit.pair;
}

function importRsaKey(der: Buffer): KeyObject {
	let key: KeyObject;
	try {
		key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
	} catch (cause) {
		throw refuse("unreadable-private-key", msg`The private key in the container cannot be read.`, cause);
	}
	if (key.asymmetricKeyType !== "rsa") throw refuse("not-rsa", msg`The private key is not an RSA key.`);
	const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
	if (bits < RSA_BITS_MIN) {
		throw refuse("weak-key", msg`The RSA key has ${bits} bits; at least ${RSA_BITS_MIN} are required.`);
	}
	return key;
}

function readX509(der: Uint8Array): X509Certificate {
	try {
		return new X509Certificate(der);
	} catch (cause) {
		throw refuse("unreadable-certificate", msg`A certificate in the container cannot be read.`, cause);
	}
}

function readTraits(der: Uint8Array): SignerTraits {
	try {
		return readSignerTraits(der);
	} catch (cause) {
		throw refuse("unreadable-certificate", msg`A certificate in the container cannot be read.`, cause);
	}
}

type When = { readonly validAt: Date; readonly now: Date };

function judge(traits: SignerTraits, { validAt, now }: When): Problem | undefined {
	const { facts } = traits;
	const at = validAt.toISOString();
	if (at < facts.notBefore)
		return refuse("not-yet-valid", msg`The certificate is not valid before ${facts.notBefore}.`);
	if (at > facts.notAfter) {
		const isToCome = now.toISOString() <= facts.notAfter;
		const detail = isToCome
			? msg`The certificate ends on ${facts.notAfter}, before it is to sign, at ${at}.`
			: msg`The certificate expired on ${facts.notAfter}.`;
		return refuse("expired", detail);
	}
	if (!facts.allowsSigning)
		return refuse("wrong-key-usage", msg`The certificate's key usage does not allow signatures.`);
	if (traits.isAuthority) return refuse("authority-certificate", AUTHORITY_CERTIFICATE);
	const [fault] = judgeSigner(traits);
	return (
		fault &&
		refuse("unfit-certificate", msg`Receivers refuse documents signed with this certificate: ${describeFault(fault)}.`)
	);
}

/** The default of `openssl req -x509`, which newcomers try first. */
const AUTHORITY_CERTIFICATE = msg`The certificate is an authority's (CA:TRUE), and receivers refuse documents that it signs. Certificates that accredited entities issue to a person are not. Make a new test certificate with: openssl req -x509 … -addext basicConstraints=critical,CA:FALSE -addext keyUsage=critical,digitalSignature,nonRepudiation`;

function warnOfObsolete(obsolete: readonly string[]): Warning[] {
	if (obsolete.length === 0) return [];
	const detail = `The container is encrypted with ${obsolete.join(" and ")}, which is obsolete. ${EXPORT_AGAIN}`;
	return [{ pointer: "/pkcs12", code: "obsolete-encryption", detail }];
}

function refuse(code: Reason, detail: Message, cause?: unknown): Problem {
	const pointer = code === "wrong-password" ? "/password" : "/pkcs12";
	return new Problem("certificate-invalid", { detail, faults: [{ pointer, code, detail }], cause });
}
