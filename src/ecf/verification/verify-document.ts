/**
 * Verifies a signed document: is it complete, who signed it, and when? Never throws because of a document; each finding is a fault with a code.
 *
 *     bytes ─▶ reader ─▶ structure ─▶ certificate ─▶ digests and signature ─▶ time, statements, trust ─▶ content
 *              limits    absolute     key, usage     document, properties,                              the canonical
 *                        paths                       SignedInfo                                         bytes, read
 *   again
 *
 * There are two questions. Integrity: are the bytes unchanged since the holder of the certificate's key signed them? Trust: do we know who that is?
 * Without a bundle of authorities, as in the sandboxes, only the first has an answer, and trust is `untrusted` without a fault. A document without
 * faults is accepted. Only then is its content returned, read from the very bytes that were digested, so that it contains nothing unsigned.
 *
 * Two profiles are accepted: XAdES-BES, and the plain XML signature of the authority's own guide.
 *
 * Reading and structure stop at their first fault. From the certificate on, everything is checked and all faults are reported.
 *
 * The authority loads documents without white space between elements, so its guide lets a signer digest them that way and send them indented. If a
 * digest differs, the document is verified a second time from the beginning, as the bytes that remain without blank texts.
 *
 * The cost is one pass to read, a few over the tree, one canonicalisation of each piece, and two public-key operations. Nothing is fetched and no
 * expression is evaluated.
 *
 * xadesjs does not serve here. It trusts the document's own key unless one is pinned, and compares the certificate with the signed properties only on
 * request, a request that can loop forever. It also accepts a second root after the document. Tests still use it to judge what we sign.
 *
 * Quirk: a plain signature has no time of its own, so the signed `FechaHoraFirma` counts. A document without one, such as a seed, is judged at the
 * time of verification.
 * Quirk: a signer may backdate a document to when an expired certificate was valid. Only a time stamp of a third party could show that, and the
 * formats have none.
 *
 * Source: XML Signature Syntax and Processing (W3C, 2013), 3.2; ETSI EN 319 132-1; RFC 5280.
 */
import { createHash } from "node:crypto";
import {
	canonicalize,
	childElements,
	isXmlElement,
	OUTSIDE_LIMITS,
	readXmlBytes,
	textOf,
	type XmlElement,
	type XmlLimits,
} from "../../platform/xml";
import { type CertificateFacts, judgeSigner } from "../certificate";
import { answerAtOnce, answerInTurn, type Examination } from "./engine";
import { readSignature, type SignatureProfile, type SignatureReading } from "./read-signature";
import { type DocumentFault, type DocumentFaultCode, SignatureRefusal } from "./signature-parts";
import {
	judgeTrust,
	matchesIssuerSerial,
	readSignerCertificate,
	type SignerCertificate,
	type TrustOptions,
} from "./signer-certificate";

export type VerifyOptions = TrustOptions & {
	readonly now: Date;
	/** Default: the limits for documents from outside. */
	readonly limits?: XmlLimits;
};

export type Verification = {
	/** `intact`: structure, digests and signature match the document's own certificate. */
	readonly integrity: "intact" | "broken";
	/** `trusted`: no faults, and the certificate is the expected one or comes from a trusted authority. */
	readonly trust: "trusted" | "untrusted";
	readonly faults: readonly DocumentFault[];
	readonly profile?: SignatureProfile;
	/** Facts of the document's own certificate. While trust is `untrusted`, anyone may have written them. */
	readonly signer?: CertificateFacts;
	/** ISO instant, as stated by the signer. */
	readonly signedAt?: string;
	/** Base64 without white space; it begins with the security code. */
	readonly signatureValue?: string;
	/** The document without its Signature. Present if there is no fault. */
	readonly content?: XmlElement;
	/** The signature covers the document without its blank texts, and `content` has none. */
	readonly isWithoutBlanks?: true;
};

export function verifyDocument(bytes: Uint8Array, options: VerifyOptions): Verification {
	return answerAtOnce(examine(bytes, options));
}

/** The same with Web Cryptography, for browsers. */
export function verifyDocumentOnWeb(bytes: Uint8Array, options: VerifyOptions): Promise<Verification> {
	return answerInTurn(examine(bytes, options));
}

function* examine(bytes: Uint8Array, options: VerifyOptions): Examination<Verification> {
	const received = readSigned(bytes, options);
	if ("code" in received) return broken([received]);
	const asReceived = yield* judge(received, options);
	if (!asReceived.faults.some(({ code }) => DIFFERENCES.has(code))) return asReceived;
	const { root, signature } = received;
	const { method, sha256 } = signature.document;
	// Without this a hostile document would cost twice as much.
	const remainder = canonicalize(root, { method, without: signature.element, dropsBlanks: true });
	if (sha256Base64(remainder) !== sha256) return asReceived;
	const stripped = readSigned(new TextEncoder().encode(canonicalize(root, { dropsBlanks: true })), options);
	if ("code" in stripped) return asReceived;
	const withoutBlanks = yield* judge(stripped, options);
	return withoutBlanks.integrity === "intact" ? { ...withoutBlanks, isWithoutBlanks: true } : asReceived;
}

/** What white space that was added after signing changes. */
const DIFFERENCES: ReadonlySet<DocumentFaultCode> = new Set([
	"document-digest-differs",
	"properties-digest-differs",
	"signature-value-wrong",
]);

type SignedTree = { readonly root: XmlElement; readonly signature: SignatureReading };

function readSigned(bytes: Uint8Array, { limits = OUTSIDE_LIMITS }: VerifyOptions): SignedTree | DocumentFault {
	const root = readXmlBytes(bytes, limits);
	if (!isXmlElement(root)) return root;
	try {
		return { root, signature: readSignature(root) };
	} catch (error) {
		if (error instanceof SignatureRefusal) return { code: error.code, detail: error.message };
		throw error;
	}
}

function* judge({ root, signature }: SignedTree, options: VerifyOptions): Examination<Verification> {
	const profile: SignatureProfile = signature.properties ? "xades-bes" : "xmldsig";
	const certificate = readSignerCertificate(signature.certificateDer);
	if (typeof certificate === "string") {
		return { ...broken([{ code: "certificate-unreadable", detail: certificate }]), profile };
	}

	const canonical = canonicalize(root, { method: signature.document.method, without: signature.element });
	const unfit = judgeSigner(certificate);
	// A refused key is not used, because it may be a slow one.
	const broke = unfit.length > 0 ? [] : yield* findBreaks(canonical, signature, certificate);
	const { time, faults: timeFaults } = judgeTime(root, signature, certificate, options.now);
	const trust = yield* judgeTrust(certificate, time ?? options.now, options);
	const found = [...unfit, ...broke, ...timeFaults, ...findMismatches(signature, certificate), ...trust.faults];
	const content =
		found.length === 0
			? readXmlBytes(new TextEncoder().encode(canonical), options.limits ?? OUTSIDE_LIMITS)
			: undefined;
	const faults = content && !isXmlElement(content) ? [content] : found;
	return {
		integrity: unfit.length + broke.length === 0 ? "intact" : "broken",
		trust: trust.isTrusted && faults.length === 0 ? "trusted" : "untrusted",
		faults,
		profile,
		signer: certificate.facts,
		...(time ? { signedAt: time.toISOString() } : {}),
		signatureValue: signature.valueText,
		...(content && isXmlElement(content) ? { content } : {}),
	};
}

function broken(faults: readonly DocumentFault[]): Verification {
	return { integrity: "broken", trust: "untrusted", faults };
}

/** The digests and the signature that do not match. */
function* findBreaks(
	canonical: string,
	signature: SignatureReading,
	{ publicKey }: SignerCertificate,
): Examination<DocumentFault[]> {
	const faults: DocumentFault[] = [];
	const { document, properties, signedInfo, signedInfoMethod, value } = signature;
	if (sha256Base64(canonical) !== document.sha256) {
		faults.push({ code: "document-digest-differs", detail: "the document is not the one that was signed" });
	}
	if (properties) {
		const { element, digest } = properties;
		if (sha256Base64(canonicalize(element, { method: digest.method })) !== digest.sha256) {
			faults.push({
				code: "properties-digest-differs",
				detail: "the signed properties are not those that were signed",
			});
		}
	}
	const signed = new TextEncoder().encode(canonicalize(signedInfo, { method: signedInfoMethod }));
	if (!(yield { kind: "signed", publicKey, signed, signature: value })) {
		faults.push({ code: "signature-value-wrong", detail: "the certificate's key does not fit the signature" });
	}
	return faults;
}

function judgeTime(root: XmlElement, { properties }: SignatureReading, { facts }: SignerCertificate, now: Date) {
	const faults: DocumentFault[] = [];
	const time = properties ? parseSigningTime(properties.signingTime) : readStatedTime(root);
	if (properties && !time) {
		faults.push({ code: "signing-time-malformed", detail: "SigningTime is no instant with its time zone" });
	}
	if (time && isTooFarAhead(time, now)) {
		faults.push({ code: "signing-time-in-future", detail: `it says it was signed at ${time.toISOString()}` });
	}
	const at = (time ?? now).toISOString();
	if (at < facts.notBefore) faults.push({ code: "certificate-not-yet-valid", detail: `valid from ${facts.notBefore}` });
	if (at > facts.notAfter) faults.push({ code: "certificate-expired", detail: `valid until ${facts.notAfter}` });
	return { time, faults };
}

/** Statements of the signed properties that contradict the certificate. */
function findMismatches({ properties }: SignatureReading, certificate: SignerCertificate): DocumentFault[] {
	if (!properties) return [];
	const faults: DocumentFault[] = [];
	if (properties.certificateDigest !== sha256Base64(certificate.der)) {
		faults.push({ code: "certificate-mismatch", detail: "the signed properties state another certificate" });
	}
	if (properties.issuerSerial && !matchesIssuerSerial(properties.issuerSerial, certificate)) {
		faults.push({
			code: "certificate-mismatch",
			detail: "the signed properties state another issuer or serial number",
		});
	}
	return faults;
}

function sha256Base64(text: string | Uint8Array): string {
	return createHash("sha256").update(text).digest("base64");
}

/** How far the signer's clock may be ahead of ours. */
const AHEAD_MAX_MS = 10 * 60_000;
const XSD_DATE_TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d{1,12})?(Z|[+-]\d\d:\d\d)$/;
/** `dd-MM-yyyy HH:mm:ss`, in the country's time. */
const AUTHORITY_DATE_TIME = /^(\d\d)-(\d\d)-(\d{4}) (\d\d:\d\d:\d\d)$/;

/** The instant of an xs:dateTime with a zone; undefined for anything else. */
export function parseSigningTime(text: string): Date | undefined {
	const [, date = "", time = "", fraction = "", zone = ""] = XSD_DATE_TIME.exec(text.trim()) ?? [];
	return toInstant(date, `${time}${fraction.slice(0, 4)}`, zone);
}

/** The signed `FechaHoraFirma` of the authority's formats, a child of the root. */
export function readStatedTime(root: XmlElement): Date | undefined {
	const [stated, ...more] = childElements(root).filter((one) => one.localName === "FechaHoraFirma");
	if (!stated || more.length > 0) return undefined;
	const [, day, month, year, time = ""] = AUTHORITY_DATE_TIME.exec(textOf(stated)) ?? [];
	return toInstant(`${year}-${month}-${day}`, time, "-04:00");
}

export function isTooFarAhead(at: Date, now: Date): boolean {
	return at.getTime() > now.getTime() + AHEAD_MAX_MS;
}

/** Also undefined for a day that does not exist, which JavaScript would carry into the next month. */
function toInstant(date: string, time: string, zone: string): Date | undefined {
	const wall = new Date(`${date}T${time}Z`);
	const at = new Date(`${date}T${time}${zone}`);
	return !Number.isNaN(at.getTime()) && wall.toISOString().startsWith(date) ? at : undefined;
}
