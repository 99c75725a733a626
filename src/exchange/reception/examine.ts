/**
 * Examines a counterparty's document: reads it strictly, verifies it, and only then interprets it. Looks nothing up and writes nothing.
 *
 *     bytes ─▶ signature and trust ─▶ names for the answer ─▶ a type that taxpayers exchange ─▶ the e-CF's form ─▶ facts
 *              motive 2                none: unreadable        motive 1                          motive 1
 *
 * The names of a refused document may be forged; they only identify what the answer is about. Facts come from the bytes that were digested.
 *
 * Work: bounded by the reader's limits. The worst document of 4 MiB takes half a second of CPU time, 1.7 times as much if it verifies
 * only without blank texts; a genuine one of a thousand lines takes a fifth of a second.
 *
 * Source: the authority's technical description of its services, services of a receiver; its e-CF and ARECF formats.
 */
import { findFormatFault, profileOf, typeOfNumber } from "../../ecf/mapping";
import { type DocumentFault, describeFault, type TrustedAuthority, verifyDocument } from "../../ecf/verification";
import { type Message, msg } from "../../platform/problem";
import { Decimal, isIsoDate } from "../../platform/values";
import { childElements, isXmlElement, OUTSIDE_LIMITS, readXmlBytes, textOf, type XmlElement } from "../../platform/xml";
import type { DocumentNames, Motive } from "./received-document";

/** Plain data that can cross between threads. */
export type Examined =
	/** Not even an answer can be made for it. */
	| { readonly kind: "unreadable"; readonly detail: Message }
	| { readonly kind: "refused"; readonly names: DocumentNames; readonly motive: Motive; readonly detail: Message }
	| { readonly kind: "genuine"; readonly names: DocumentNames; readonly facts: DocumentFacts; readonly signer: Signer };

export type DocumentFacts = {
	readonly type: string;
	readonly issuerName: string;
	/** `YYYY-MM-DD`. */
	readonly issueDate: string;
	readonly subtotal: string;
	readonly tax: string;
	readonly grandTotal: string;
	readonly orderNumber: string | null;
	readonly securityCode: string;
	/** `FechaHoraFirma` as written. */
	readonly signedAtText: string;
};

export type Signer = {
	/** The whole subject of the certificate. */
	readonly subject: string;
	/** The serial number in the subject, by which the authority knows the holder; the whole subject if it has none. */
	readonly name: string;
};

const SECURITY_CODE_CHARACTERS = 6;
const INTEGER_DIGITS_MAX = 16;

export type ExamineOptions = { readonly now: Date; readonly authorities: readonly TrustedAuthority[] | undefined };

export function examineDocument(bytes: Uint8Array, { now, authorities }: ExamineOptions): Examined {
	const { faults, content, signer, signatureValue } = verifyDocument(bytes, { now, authorities });
	// A document without a valid signature is read again, only for its names.
	const root = content ?? readXmlBytes(bytes);
	if (!isXmlElement(root)) return { kind: "unreadable", detail: describeFault(root) };
	const names = readNames(root);
	if (!names) return { kind: "unreadable", detail: msg`it names no issuer, buyer and e-NCF` };
	const refuse = (motive: Motive, detail: Message): Examined => ({ kind: "refused", names, motive, detail });
	if (!content || !signer || signatureValue === undefined) {
		return refuse(2, toCodes(faults));
	}
	const type = typeOfNumber(names.encf);
	if (!type || !profileOf(type).exchanged)
		return refuse(1, msg`documents of this type are not sent to other taxpayers`);
	const fault = findFormatFault(content, type);
	if (fault !== undefined) return refuse(1, fault);
	const facts = readFacts(content, type, signatureValue.slice(0, SECURITY_CODE_CHARACTERS));
	if ("template" in facts) return refuse(1, facts);
	const { subject, holderSerial: name = subject } = signer;
	return { kind: "genuine", names, facts, signer: { subject, name } };
}

function toCodes(faults: readonly DocumentFault[]): Message {
	return msg`${faults.map(({ code }) => code).join(", ")}`;
}

function readNames(root: XmlElement): DocumentNames | undefined {
	const issuerRnc = textAt(root, "Encabezado", "Emisor", "RNCEmisor");
	const buyerRnc = textAt(root, "Encabezado", "Comprador", "RNCComprador");
	const encf = textAt(root, "Encabezado", "IdDoc", "eNCF");
	const isTaxpayer = (text: string) => /^\d{9}(\d\d)?$/.test(text);
	if (root.localName !== "ECF" || issuerRnc === undefined || buyerRnc === undefined || encf === undefined)
		return undefined;
	return isTaxpayer(issuerRnc) && isTaxpayer(buyerRnc) && /^E\d{12}$/.test(encf)
		? { issuerRnc, buyerRnc, encf }
		: undefined;
}

/** A message describes what is wrong. */
function readFacts(root: XmlElement, type: string, securityCode: string): DocumentFacts | Message {
	const at = (...path: readonly string[]) => textAt(root, "Encabezado", ...path);
	if (at("IdDoc", "TipoeCF") !== type) return msg`its type and its number contradict each other`;
	const issueDate = toIsoDate(at("Emisor", "FechaEmision") ?? "");
	if (issueDate === undefined) return msg`its issue date does not exist`;
	const total = toAmount(at("Totales", "MontoTotal"));
	const tax = toAmount(at("Totales", "TotalITBIS")).plus(toAmount(at("Totales", "MontoImpuestoAdicional")));
	if (!tax.hasIntegerDigitsAtMost(INTEGER_DIGITS_MAX)) return msg`its taxes exceed the largest amount`;
	return {
		type,
		issuerName: at("Emisor", "RazonSocialEmisor") ?? "",
		issueDate,
		subtotal: total.minus(tax).toFixed(2),
		tax: tax.toFixed(2),
		grandTotal: total.toFixed(2),
		orderNumber: at("Comprador", "NumeroOrdenCompra") ?? null,
		securityCode,
		signedAtText: textAt(root, "FechaHoraFirma") ?? "",
	};
}

/** Converts a text in the format's form: digits with leading zeros and decimals. */
const toAmount = (text: string | undefined) => (text === undefined ? Decimal.zero : Decimal.of(text));

/** The text at a path with exactly one element at each step; undefined otherwise. */
function textAt(root: XmlElement, ...path: readonly string[]): string | undefined {
	let at: XmlElement | undefined = root;
	for (const name of path) {
		const found: XmlElement[] = at
			? childElements(at).filter((one) => one.localName === name && one.namespace === "")
			: [];
		at = found.length === 1 ? found[0] : undefined;
	}
	return at && childElements(at).length === 0 ? textOf(at).trim() : undefined;
}

/** Converts `dd-MM-yyyy`; undefined for a day that does not exist. */
function toIsoDate(text: string): string | undefined {
	const [, day, month, year] = /^(\d\d)-(\d\d)-(\d{4})$/.exec(text) ?? [];
	const iso = `${year}-${month}-${day}`;
	return isIsoDate(iso) ? iso : undefined;
}

const LIMITS = { ...OUTSIDE_LIMITS, bytesMax: 64 * 1024, nodesMax: 500 };

export type ExaminedSeed =
	| { readonly kind: "refused"; readonly detail: Message }
	| { readonly kind: "signed"; readonly value: string; readonly subject: string };

/** The content and signer of a signed seed. Whether the seed was issued here is checked elsewhere. */
export function examineSeed(bytes: Uint8Array, { now, authorities }: ExamineOptions): ExaminedSeed {
	const { faults, content, signer } = verifyDocument(bytes, { now, authorities, limits: LIMITS });
	if (!content || !signer) return { kind: "refused", detail: toCodes(faults) };
	const children = childElements(content);
	const [value, date] = children;
	const isSeed =
		content.localName === "SemillaModel" &&
		children.length === 2 &&
		value?.localName === "valor" &&
		date?.localName === "fecha" &&
		childElements(value).length === 0;
	if (!isSeed || !value) return { kind: "refused", detail: msg`it is not a seed` };
	return { kind: "signed", value: textOf(value), subject: signer.subject };
}

export type ExamineSetup = {
	/** PEM bundle of the authorities that issue signers' certificates. Without it only the integrity of a document is checked. */
	readonly trustedCaFile: string | undefined;
};
export type ExamineJob = {
	readonly what: "document" | "seed";
	readonly bytes: Uint8Array;
	/** ISO instant. */
	readonly now: string;
};
export type JobAnswer = { readonly document: Examined } | { readonly seed: ExaminedSeed };
