/**
 * The generated text of an e-mail, in Spanish and English. It is plain text, so that no name or message can become markup. Names in headers are one
 * line.
 */

import type { CompanyRow } from "../../companies";
import { findProfile } from "../../ecf/mapping";
import { legendsFor, printAmount, type Standing, titleOf } from "../../ecf/printing";
import { SUBJECT_LENGTH_MAX, toHeaderText } from "../../platform/mail";
import { member, textMember } from "../../platform/operation";
import type { EmailLocale } from "./email";

/** What the e-mail says of the document. */
export type EmailFacts = {
	readonly type: string;
	readonly encf: string;
	/** JSON text as received. */
	readonly request: string;
	readonly securityCode: string;
	readonly qrUrl: string;
	readonly standing: Standing;
	/** Without fiscal effect: in a sandbox or the authority's test environment. */
	readonly isTest: boolean;
};

type Sender = Pick<CompanyRow, "name" | "rnc" | "email" | "phone">;

type Words = {
	readonly title: (type: string) => string;
	readonly subject: (title: string, encf: string, company: string) => string;
	readonly labels: Readonly<Record<"document" | "issuer" | "customer" | "total" | "code" | "verify", string>>;
	readonly legends: (standing: Standing, isTest: boolean) => readonly string[];
};

const ENGLISH_LEGENDS: Readonly<Record<Standing, readonly string[]>> = {
	accepted: [],
	pending: ["Its validity can be looked up after 72 hours"],
	contingency: ["e-CF issued in contingency mode", "Its fiscal validity can be looked up from 72 hours on"],
	rejected: ["Rejected by the tax authority: without fiscal value"],
	failed: ["Not received by the tax authority: without fiscal value"],
};

const WORDS: Readonly<Record<EmailLocale, Words>> = {
	es: {
		title: titleOf,
		subject: (title, encf, company) => `${title} ${encf} de ${company}`,
		labels: {
			...{ document: "Comprobante", issuer: "Emisor", customer: "Cliente", total: "Total" },
			...{ code: "Código de seguridad", verify: "Verificación" },
		},
		legends: legendsFor,
	},
	en: {
		title: (type) => findProfile(type)?.titleEn ?? "Electronic fiscal document",
		subject: (title, encf, company) => `${title} ${encf} from ${company}`,
		labels: {
			...{ document: "Document", issuer: "Issuer", customer: "Customer", total: "Total" },
			...{ code: "Security code", verify: "Verification" },
		},
		legends: (standing, isTest) => [
			...ENGLISH_LEGENDS[standing],
			...(isTest ? ["Test document: without fiscal value"] : []),
		],
	},
};

/** The subject, if the sender gives none. */
export function toSubject(
	locale: EmailLocale,
	{ type, encf }: Pick<EmailFacts, "type" | "encf">,
	company: string,
): string {
	const { title, subject } = WORDS[locale];
	return toHeaderText(subject(title(type), encf, toHeaderText(company)), SUBJECT_LENGTH_MAX);
}

/** The text of an e-mail: the company's message, the document, its standing, and the sender. */
export function toLetter(locale: EmailLocale, message: string, facts: EmailFacts, sender: Sender): string {
	const { title, labels, legends } = WORDS[locale];
	const request: unknown = JSON.parse(facts.request);
	const company = toHeaderText(sender.name);
	const customer = textMember(member(request, "customer"), "name");
	const total = textMember(member(request, "totals"), "grand_total");
	const isInPesos = textMember(request, "amounts_in") !== "document";
	const currency = isInPesos ? "RD$" : (textMember(request, "currency") ?? "RD$");
	const entries: readonly (readonly [string, string | undefined])[] = [
		[labels.document, `${title(facts.type)} ${facts.encf}`],
		[labels.issuer, `${company}, RNC ${sender.rnc}`],
		[labels.customer, customer === undefined ? undefined : toHeaderText(customer)],
		[labels.total, total === undefined ? undefined : `${currency} ${printAmount(total)}`],
		[labels.code, facts.securityCode],
		[labels.verify, facts.qrUrl],
	];
	const lines = entries.flatMap(([label, text]) => (text === undefined ? [] : [`${label}: ${text}`]));
	const standing = legends(facts.standing, facts.isTest).map((legend) => `${legend}.`);
	const contact = [sender.email, sender.phone].flatMap((one) => (one === null ? [] : [toHeaderText(one)]));
	return [
		...(message.trim() === "" ? [] : [message.replace(/\r\n?/g, "\n").trim()]),
		lines.join("\n"),
		...(standing.length === 0 ? [] : [standing.join("\n")]),
		// "-- " starts a signature, which mail programs leave out of replies.
		["-- ", company, ...(contact.length === 0 ? [] : [contact.join(" · ")])].join("\n"),
	].join("\n\n");
}
