/**
 * From an invoice to signed bytes: plan, write, sign, check, and for a small consumer invoice its summary as well.
 *
 * There are two halves, because only the second one needs the key and runs in the signing thread. A draft is one or two strings, which are cheap to
 * send to another thread; an invoice is a hundred small objects.
 */
import { Problem } from "../../platform/problem";
import { parseTaxpayerDocument } from "../../platform/values";
import { canonicalize, isXmlElement, OUTSIDE_LIMITS, readXmlText } from "../../platform/xml";
import {
	type EcfInput,
	type EcfPlan,
	isSummaryPlan,
	needsSequenceExpiry,
	planEcf,
	type Warning,
	writeEcf,
	writeSummary,
} from "../mapping";
import type { SigningIdentity } from "./engine";
import { createScratch } from "./signature-form";
import type { SignatureProfile } from "./signature-frame";
import { verifyOwnSignature } from "./verify-own";
import { type SignOptions, signToText, signXml } from "./xades";

/** An e-CF that is written but not signed, with its summary if the authority gets one. Plain data. */
export type EcfDraft = {
	/** The issuer that the documents must name. */
	readonly issuerRnc: string;
	/** ISO instant. */
	readonly signedAt: string;
	/** Canonical form. */
	readonly ecf: string;
	/** Canonical form, with a placeholder for the security code of the signed e-CF. */
	readonly summary?: string;
};

/** What is stored, sent and printed. Plain data; the digests cover the documents' UTF-8 bytes. */
export type SignedDocuments<Document = string> = {
	readonly ecf: Document;
	/** Hex. */
	readonly ecfSha256: string;
	readonly securityCode: string;
	/** The instant of the input. */
	readonly signedAt: string;
	/** Present for consumer invoices below 250,000.00: the summary is sent, the e-CF is kept. */
	readonly summary?: Document;
	readonly summarySha256?: string;
};
export type SignedEcf = SignedDocuments<Uint8Array> & { readonly warnings: readonly Warning[] };

/** The document names another issuer than the signing company. It is never signed. */
export class WrongIssuerError extends Error {
	constructor(
		readonly expected: string,
		readonly got: string | undefined,
	) {
		super(`expected a document of issuer ${expected}, got one of ${got ?? "none"}`);
		this.name = "WrongIssuerError";
	}
}

const encoder = new TextEncoder();
const scratch = createScratch();

/** The placeholder of the security code in a summary; XML cannot contain it. */
const PLACE = "\u0000";

/** Plans, writes and signs the e-CF of an invoice. Throws: as `draftEcf` and `signDraft`. */
export function signEcf(input: EcfInput, identity: SigningIdentity, profile: SignatureProfile): SignedEcf {
	const plan = planEcf(input);
	const { ecf, summary, ...signed } = signDraft(draftEcf(input, plan), identity, profile);
	return {
		...signed,
		ecf: encoder.encode(ecf),
		...(summary === undefined ? {} : { summary: encoder.encode(summary) }),
		warnings: plan.warnings,
	};
}

/**
 * Writes the documents of a planned invoice. Throws: validation-error if the plan has faults. A missing sequence expiry is a defect, not a problem.
 */
export function draftEcf(input: EcfInput, plan: EcfPlan): EcfDraft {
	if (plan.faults.length > 0) throw new Problem("validation-error", { faults: plan.faults });
	if (needsSequenceExpiry(plan.type) && plan.sequenceExpiresOn === undefined) {
		throw new Error(`expected sequenceExpiresOn, which documents of type ${plan.type} state`);
	}
	const draft = { issuerRnc: input.issuer.rnc, signedAt: input.signedAt, ecf: narrow(writeEcf(plan)) };
	return isSummaryPlan(plan) ? { ...draft, summary: narrow(writeSummary(plan, PLACE)) } : draft;
}

/** Signs a draft and verifies each signed document. A foreign issuer and a signature that does not verify are defects, not problems. */
export function signDraft(draft: EcfDraft, identity: SigningIdentity, profile: SignatureProfile): SignedDocuments {
	const { issuerRnc, signedAt } = draft;
	const options: SignOptions = { profile, signedAt: new Date(signedAt) };
	const { text: ecf, sha256: ecfSha256, securityCode } = signChecked(draft.ecf, issuerRnc, identity, options);
	const signed = { ecf, ecfSha256, securityCode, signedAt };
	if (draft.summary === undefined) return signed;
	const [before, after, ...more] = draft.summary.split(PLACE);
	if (before === undefined || after === undefined || more.length > 0) {
		throw new Error("expected a summary with one place for the security code");
	}
	const summary = signChecked(before + securityCode + after, issuerRnc, identity, options);
	return { ...signed, summary: summary.text, summarySha256: summary.sha256 };
}

type Checked = { readonly text: string; readonly sha256: string; readonly securityCode: string };

/** The check and the digest cover the bytes that are stored and sent. */
function signChecked(xml: string, issuerRnc: string, identity: SigningIdentity, options: SignOptions): Checked {
	checkIssuerOf(xml, issuerRnc);
	const text = signToText(xml, identity, options);
	const bytes = scratch.encode(text);
	verifyOwnSignature(bytes, identity);
	return { text, sha256: sha256Hex(bytes), securityCode: readSecurityCode(bytes) };
}

/** Reads the issuer from the document itself, by its position, which no text of the invoice can imitate. */
function checkIssuerOf(xml: string, expectedRnc: string): void {
	const expected = parseTaxpayerDocument(expectedRnc)?.digits ?? expectedRnc;
	const got = /^<(?:ECF|RFCE)><Encabezado>.*?<\/IdDoc><Emisor><RNCEmisor>([^<]*)<\/RNCEmisor>/s.exec(xml)?.[1];
	if (!got || got !== expected) throw new WrongIssuerError(expected, got);
}

function sha256Hex(bytes: Uint8Array): string {
	return Bun.SHA256.hash(bytes, "hex");
}

/** Longer texts stay as they are. */
const CHARACTERS_MAX = 256 * 1024;

const latin1 = Buffer.allocUnsafeSlow(CHARACTERS_MAX);
const given = Buffer.allocUnsafeSlow(CHARACTERS_MAX * 3);
const narrowed = Buffer.allocUnsafeSlow(CHARACTERS_MAX * 3);

/**
 * The same text with one byte per character, if possible. The runtime stores a string with one byte per character if all are Latin-1, otherwise with
 * two. Text decoded from UTF-8 with one accent has two, and so has every string built from it, which makes an invoice slower to copy, search and
 * encode.
 */
export function narrow(text: string): string {
	if (text.length > CHARACTERS_MAX) return text;
	const bytes = encoder.encodeInto(text, given).written;
	// ASCII may have two bytes per character too.
	if (bytes === text.length) return given.toString("latin1", 0, bytes);
	// A character beyond Latin-1 loses a byte here, so the result differs. Comparing bytes is faster than comparing strings of two kinds.
	const candidate = latin1.toString("latin1", 0, latin1.write(text, "latin1"));
	const isSame =
		encoder.encodeInto(candidate, narrowed).written === bytes && given.compare(narrowed, 0, bytes, 0, bytes) === 0;
	return isSame ? candidate : text;
}

const OPENING = Buffer.from("<SignatureValue>");
const CODE_CHARACTERS = 6;

/**
 * The security code of a signed document: the first six characters of `SignatureValue`. Case matters; `+` and `/` occur. Source: the authority's
 * technical description, printed representation.
 */
export function readSecurityCode(signedXml: Uint8Array): string {
	const bytes =
		signedXml instanceof Buffer ? signedXml : Buffer.from(signedXml.buffer, signedXml.byteOffset, signedXml.byteLength);
	const at = bytes.lastIndexOf(OPENING);
	if (at < 0) throw new Error("expected a signed document, found no SignatureValue");
	const start = at + OPENING.length;
	return bytes.toString("latin1", start, start + CODE_CHARACTERS);
}

const LIMITS = { ...OUTSIDE_LIMITS, bytesMax: 64 * 1024 };

/** The received text is not a small, plain XML document. */
export class ReceivedXmlError extends Error {
	constructor(finding: string, options?: ErrorOptions) {
		super(`the received XML cannot be signed: ${finding}`, options);
		this.name = "ReceivedXmlError";
	}
}

/**
 * Signs a document of another program, such as the authority's seed, and checks the result. The authority's verifier drops white space between
 * elements, so it is dropped before canonicalisation. Throws a ReceivedXmlError for unreadable text. Source: the authority's signing guide.
 */
export function signReceivedXml(text: string, identity: SigningIdentity, options: SignOptions): Uint8Array {
	const signed = signXml(canonicalizeReceived(text), identity, options);
	verifyOwnSignature(signed, identity);
	return signed;
}

/** A received document in canonical form, without comments and white space between elements. */
export function canonicalizeReceived(text: string): string {
	const root = readXmlText(text, LIMITS);
	if (!isXmlElement(root)) throw new ReceivedXmlError(root.detail);
	return canonicalize(root, { dropsBlanks: true });
}
