/**
 * The certificate in a signature: its facts, its key, and whether it is trusted. `judgeSigner` decides whether it may sign at all. The certificate
 * itself proves nothing, because anyone can make one. Trust comes from an authority of the bundle or from the caller's expectation.
 */
import "reflect-metadata";
import { Name, X509Certificate } from "@peculiar/x509";
import { fromHex, isSameBytes, joinBytes } from "../../platform/values";
import { readSignerTraits, type SignerTraits } from "../certificate";
import type { Examination } from "./engine";
import type { IssuerSerial } from "./read-properties";
import type { DocumentFault } from "./signature-parts";
import type { TrustedAuthority } from "./trusted-authorities";

/** Everything that is needed later is read at once, because the readers decode some parts lazily. */
export type SignerCertificate = SignerTraits & {
	readonly der: Uint8Array;
	/** DER of its SubjectPublicKeyInfo. */
	readonly publicKey: Uint8Array;
	/** DER of the issuer's name. */
	readonly issuerDer: Uint8Array;
	/** Hex. */
	readonly serialNumber: string;
	/** Digest of the issuer's signature, `SHA-256`. */
	readonly issuedWith: string;
};

/** A typical certificate has about one KiB. */
const BYTES_MAX = 16 * 1024;
/** A string states why the bytes are not a certificate with a key. */
export function readSignerCertificate(der: Uint8Array): SignerCertificate | string {
	if (der.byteLength > BYTES_MAX) return `more than ${BYTES_MAX} bytes`;
	// The reader accepts bytes after the certificate, which would give it a second digest.
	if (lengthOfSequence(der) !== der.byteLength) return "it is not one DER value and nothing else";
	try {
		const x509 = new X509Certificate(new Uint8Array(der));
		// The reader accepts an empty serial number, which cannot be compared.
		if (x509.serialNumber === "") return "it has no serial number";
		const { hash } = x509.signatureAlgorithm;
		return {
			der,
			...readSignerTraits(der, x509),
			publicKey: new Uint8Array(x509.publicKey.rawData),
			issuerDer: new Uint8Array(x509.issuerName.toArrayBuffer()),
			serialNumber: x509.serialNumber,
			issuedWith: typeof hash === "string" ? hash : (hash?.name ?? "an unknown digest"),
		};
	} catch (error) {
		return error instanceof Error ? error.message : "it cannot be read";
	}
}

/** Length of the outermost DER value with its header; 0 if it is not a SEQUENCE. */
function lengthOfSequence(der: Uint8Array): number {
	const [tag, first = 0] = der;
	if (tag !== 0x30) return 0;
	if (first < 0x80) return 2 + first;
	const count = first & 0x7f;
	const length = der.subarray(2, 2 + count).reduce((sum, byte) => sum * 256 + byte, 0);
	return 2 + count + length;
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;
/** The directory name among the forms of a general name. Source: RFC 5280, 4.2.1.6. */
const DIRECTORY_NAME = 0xa4;

/** Longer than any name; longer input is not parsed. */
const NAME_CHARACTERS_MAX = 2_000;

export function matchesIssuerSerial(stated: IssuerSerial, { issuerDer, serialNumber }: SignerCertificate): boolean {
	if ("der" in stated) return isSameBytes(stated.der, encodeIssuerSerial(issuerDer, serialNumber));
	if (!/^\d{1,60}$/.test(stated.serialNumber) || stated.issuerName.length > NAME_CHARACTERS_MAX) return false;
	if (BigInt(stated.serialNumber) !== BigInt(`0x${serialNumber}`)) return false;
	const [ours, theirs] = [partsOf(issuerDer), partsOf(stated.issuerName)];
	// RFC 4514 writes a name from its end; many programs write it from its beginning.
	return theirs !== undefined && [theirs, theirs.toReversed()].some((parts) => parts.join("\n") === ours?.join("\n"));
}

/** Source: RFC 5035, appendix A, IssuerSerial. */
function encodeIssuerSerial(issuerDer: Uint8Array, serialNumber: string): Uint8Array {
	const even = serialNumber.length % 2 === 0 ? serialNumber : `0${serialNumber}`;
	const digits = fromHex(even) ?? new Uint8Array();
	const positive = (digits[0] ?? 0) >= 0x80 ? joinBytes(Uint8Array.of(0), digits) : digits;
	const issuer = encode(SEQUENCE, encode(DIRECTORY_NAME, issuerDer));
	return encode(SEQUENCE, joinBytes(issuer, encode(INTEGER, positive)));
}

function encode(tag: number, content: Uint8Array): Uint8Array {
	const { byteLength } = content;
	const long = byteLength < 0x100 ? [0x81, byteLength] : [0x82, byteLength >> 8, byteLength & 0xff];
	return joinBytes(Uint8Array.of(tag, ...(byteLength < 0x80 ? [byteLength] : long)), content);
}

/** The type and value of each part, in order; undefined if it is not a name. */
function partsOf(name: Uint8Array | string): string[] | undefined {
	try {
		const parts = new Name(typeof name === "string" ? name : new Uint8Array(name)).toJSON();
		return parts.map((part) => JSON.stringify(Object.entries(part).sort()));
	} catch {
		// The library throws on anything that it cannot parse.
		return undefined;
	}
}

export type TrustOptions = {
	/** The bundle of authorities. Without one, no certificate is trusted and none is refused. */
	readonly authorities?: readonly TrustedAuthority[] | undefined;
	/** DER of the only accepted certificate; it needs no authority. */
	readonly expectedCertificate?: Uint8Array | undefined;
};

export type Trust = { readonly isTrusted: boolean; readonly faults: readonly DocumentFault[] };

/** Judges at an instant: the authority must have been entitled then. */
export function* judgeTrust(certificate: SignerCertificate, at: Date, options: TrustOptions): Examination<Trust> {
	if (options.expectedCertificate) {
		if (isSameBytes(options.expectedCertificate, certificate.der)) return { isTrusted: true, faults: [] };
		return refuse("certificate-unexpected", "it is not the certificate that was expected");
	}
	if (!options.authorities) return { isTrusted: false, faults: [] };
	const { issuerDer, issuedWith } = certificate;
	const named = options.authorities.filter(({ subjectDer }) => isSameBytes(subjectDer, issuerDer));
	if (named.length === 0)
		return refuse("certificate-untrusted", `no trusted authority is called ${certificate.facts.issuer}`);
	const issuer = yield* findIssuer(certificate, named);
	if (!issuer) return refuse("certificate-untrusted", "the authority that it names has not issued it");
	// SHA-1 collisions can be produced, so the authority may have seen another certificate.
	if (!["SHA-256", "SHA-384", "SHA-512"].includes(issuedWith)) {
		return refuse("certificate-untrusted", `it was issued with ${issuedWith}`);
	}
	if (at < issuer.notBefore || issuer.notAfter < at) {
		return refuse("certificate-untrusted", "the authority that issued it was not in force then");
	}
	return { isTrusted: true, faults: [] };
}

function* findIssuer(
	{ der }: SignerCertificate,
	authorities: readonly TrustedAuthority[],
): Examination<TrustedAuthority | undefined> {
	for (const authority of authorities) {
		if (yield { kind: "issued", publicKey: authority.publicKey, certificate: der }) return authority;
	}
	return undefined;
}

function refuse(code: "certificate-untrusted" | "certificate-unexpected", detail: string): Trust {
	return { isTrusted: false, faults: [{ code, detail }] };
}
