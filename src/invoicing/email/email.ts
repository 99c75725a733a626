/** An e-mail with a document: the request, the answer to it, and the record with its recipients. */

import { type Static, Type } from "@sinclair/typebox";
import type { ReadSealed } from "../../archive";
import type { AuthorityStatus } from "../../authority/status";
import type { CompanyRow } from "../../companies";
import type { Printer } from "../../ecf/printing";
import type { Sql } from "../../platform/database";
import { ADDRESS_LENGTH_MAX, type MailTransport, SUBJECT_LENGTH_MAX } from "../../platform/mail";
import { checkSchema, checkText, member } from "../../platform/operation";
import { type Fault, msg, Problem } from "../../platform/problem";
import type { Log } from "../../platform/telemetry";
import { type Clock, type Environment, MAILABLE_PATTERN, ONE_LINE_PATTERN } from "../../platform/values";

export type EmailTransports = {
	readonly of: (company: Pick<CompanyRow, "ownerId">) => MailTransport;
	readonly close: () => void;
};

/** What requesting, sending and reporting e-mails needs. */
export type EmailDeps = {
	readonly sql: Sql;
	readonly readSealed: ReadSealed;
	readonly clock: Clock;
	readonly log: Log;
	readonly environment: Environment;
	/** Notifies dispatchers of new messages. */
	readonly wake: () => void;
	/** Absent: no notice is accepted. */
	readonly mailHookSecret: string | undefined;
	readonly transports: Pick<EmailTransports, "of">;
	readonly printer: Pick<Printer, "print">;
	readonly authorityStatus: Pick<AuthorityStatus, "isContingency">;
	/** Whether the operator receives notices. Mail servers are asked for them only then. */
	readonly wantsNotices: boolean;
};

/** Limit of `to` and `cc` together. */
export const RECIPIENTS_MAX = 10;
const MESSAGE_LENGTH_MAX = 4_000;

const Address = Type.String({
	maxLength: ADDRESS_LENGTH_MAX,
	pattern: MAILABLE_PATTERN,
	faultCode: "invalid-email",
	faultDetail: msg`Is not a plain e-mail address.`,
});

const ATTACHMENTS = ["pdf", "xml"] as const;
export type EmailAttachment = (typeof ATTACHMENTS)[number];
const Attach = Type.Array(Type.Union(ATTACHMENTS.map((one) => Type.Literal(one))), {
	uniqueItems: true,
	description:
		"`pdf` is the printed document on the company's paper, `xml` the signed e-CF. `[]` attaches nothing. Default: both.",
});

const LOCALES = ["es", "en"] as const;
export type EmailLocale = (typeof LOCALES)[number];
const Locale = Type.Union(
	LOCALES.map((one) => Type.Literal(one)),
	{ description: "Language of the generated text. Default: the company's." },
);

/** Body of `POST /v1/invoices/{docId}/email`. */
export const EmailRequest = Type.Object(
	{
		to: Type.Array(Address, {
			minItems: 1,
			maxItems: RECIPIENTS_MAX,
			description: `At most ${RECIPIENTS_MAX} together with \`cc\`, each once.`,
		}),
		cc: Type.Optional(Type.Array(Address, { maxItems: RECIPIENTS_MAX - 1, description: "Recipients of a copy." })),
		subject: Type.Optional(
			Type.Union([
				Type.String({
					minLength: 1,
					maxLength: SUBJECT_LENGTH_MAX,
					pattern: ONE_LINE_PATTERN,
					faultCode: "invalid-subject",
					faultDetail: msg`Send one line without control characters.`,
					description: "Subject of the e-mail. Default: document, number and issuer.",
				}),
				Type.Null(),
			]),
		),
		message: Type.Optional(
			Type.String({ maxLength: MESSAGE_LENGTH_MAX, description: "Plain text above the generated text." }),
		),
		attach: Type.Optional(Attach),
		locale: Type.Optional(Locale),
	},
	{ $id: "EmailRequest", additionalProperties: false },
);
export type EmailRequest = Static<typeof EmailRequest>;

export const EXAMPLE_REQUEST: EmailRequest = {
	to: ["compras@cliente.do"],
	cc: [],
	subject: null,
	message: "Adjuntamos su factura.",
	attach: ["pdf", "xml"],
	locale: "es",
};

const STATUSES = ["queued", "skipped", "failed", "sent", "delivered", "bounced", "complained"] as const;
export type EmailStatus = (typeof STATUSES)[number];
const Status = Type.Union(STATUSES.map((one) => Type.Literal(one)));

export const QueuedEmail = Type.Object(
	{
		emailId: Type.String(),
		docId: Type.String(),
		status: Status,
		to: Type.Array(Type.String()),
		createdAt: Type.String(),
	},
	{
		$id: "QueuedEmail",
		examples: [
			{
				emailId: "0192f130-7a00-7b11-9c22-334455667788",
				docId: "0192f110-7a00-7b11-9c22-334455667788",
				status: "queued",
				to: ["compras@cliente.do"],
				createdAt: "2026-11-20T14:40:00.000Z",
			},
		],
	},
);
export type QueuedEmail = Static<typeof QueuedEmail>;

const OrNull = Type.Union([Type.String(), Type.Null()]);

const Recipient = Type.Object({
	address: Type.String(),
	kind: Type.Union([Type.Literal("to"), Type.Literal("cc")]),
	status: Status,
	reason: Type.Union([
		Type.String({ description: "Answer of the last server, unless it simply accepted the mail." }),
		Type.Null(),
	]),
	attempts: Type.Integer(),
	messageId: Type.String({ description: "The part of the Message-ID before the `@`." }),
	sentAt: OrNull,
	updatedAt: Type.String(),
});

export const EmailRecord = Type.Object(
	{
		emailId: Type.String(),
		docId: Type.String(),
		status: Type.Union(
			STATUSES.map((one) => Type.Literal(one)),
			{
				description:
					"`queued` while any recipient waits, then the worst status among them: `complained`, `bounced`, `failed`, `skipped`, `sent`, `delivered`. " +
					"`skipped`: this service sends no mail.",
			},
		),
		to: Type.Array(Type.String()),
		cc: Type.Array(Type.String()),
		subject: Type.String(),
		message: Type.String(),
		attach: Attach,
		locale: Locale,
		recipients: Type.Array(Recipient),
		createdAt: Type.String(),
	},
	{
		$id: "Email",
		examples: [
			{
				emailId: "0192f130-7a00-7b11-9c22-334455667788",
				docId: "0192f110-7a00-7b11-9c22-334455667788",
				status: "bounced",
				to: ["compras@cliente.do"],
				cc: [],
				subject: "Factura de Crédito Fiscal Electrónica E310000000001 de FERRETERIA EL PROGRESO SRL",
				message: "Adjuntamos su factura.",
				attach: ["pdf", "xml"],
				locale: "es",
				recipients: [
					{
						address: "compras@cliente.do",
						kind: "to",
						status: "bounced",
						reason: "5.1.1 smtp; 550 no such user here",
						attempts: 1,
						messageId: "0192f131-7a00-7b11-9c22-334455667788",
						sentAt: "2026-11-20T14:40:01.204Z",
						updatedAt: "2026-11-20T14:41:12.000Z",
					},
				],
				createdAt: "2026-11-20T14:40:00.000Z",
			},
		],
	},
);
export type EmailRecord = Static<typeof EmailRecord>;

export type RecipientRow = {
	readonly id: string;
	readonly kind: "to" | "cc";
	readonly address: string;
	readonly status: EmailStatus;
	readonly reason: string | null;
	readonly attempts: number;
	readonly sentAt: Date | null;
	readonly updatedAt: Date;
};

export type EmailRow = {
	readonly id: string;
	readonly tenantId: string;
	readonly docId: string;
	readonly subject: string;
	readonly message: string;
	readonly attach: readonly EmailAttachment[];
	readonly locale: EmailLocale;
	readonly createdAt: Date;
	/** In the order in which they were named, `to` before `cc`. */
	readonly recipients: readonly RecipientRow[];
};

/** By severity. */
const BY_WEIGHT: readonly EmailStatus[] = ["queued", "complained", "bounced", "failed", "skipped", "sent", "delivered"];

/** The status of an e-mail, from those of its recipients. */
export function statusOf(statuses: readonly EmailStatus[]): EmailStatus {
	return BY_WEIGHT.find((one) => statuses.includes(one)) ?? "queued";
}

const addressesOf = (recipients: readonly RecipientRow[], kind: RecipientRow["kind"]) =>
	recipients.filter((one) => one.kind === kind).map(({ address }) => address);

export function toQueuedEmail({ id, docId, recipients, createdAt }: EmailRow): QueuedEmail {
	return {
		emailId: id,
		docId,
		status: statusOf(recipients.map(({ status }) => status)),
		to: addressesOf(recipients, "to"),
		createdAt: createdAt.toISOString(),
	};
}

export function toEmailRecord(row: EmailRow): EmailRecord {
	const { recipients, subject, message, attach, locale, createdAt, id, docId } = row;
	return {
		emailId: id,
		docId,
		status: statusOf(recipients.map(({ status }) => status)),
		to: addressesOf(recipients, "to"),
		cc: addressesOf(recipients, "cc"),
		subject,
		message,
		attach: [...attach],
		locale,
		recipients: recipients.map((one) => ({
			address: one.address,
			kind: one.kind,
			status: one.status,
			reason: one.reason,
			attempts: one.attempts,
			messageId: one.id,
			sentAt: one.sentAt?.toISOString() ?? null,
			updatedAt: one.updatedAt.toISOString(),
		})),
		createdAt: createdAt.toISOString(),
	};
}

/** Throws: validation-error. */
export function checkEmailRequest(value: unknown): EmailRequest {
	const faults = [
		// Each text has its limit in the schema.
		...checkText(value, Number.POSITIVE_INFINITY),
		...checkSchema(EmailRequest, value),
		...checkRecipients(value),
	];
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	return value as EmailRequest;
}

/** What no schema can express: the number of recipients together, and that each address comes once. */
function checkRecipients(value: unknown): Fault[] {
	const [to, cc] = [listOf(value, "to"), listOf(value, "cc")];
	const faults: Fault[] = [];
	// Each list has its own limit in the schema; only their sum is checked here.
	if (to.length <= RECIPIENTS_MAX && cc.length < RECIPIENTS_MAX && to.length + cc.length > RECIPIENTS_MAX) {
		const detail = msg`More than ${RECIPIENTS_MAX} recipients in \`to\` and \`cc\` together.`;
		faults.push({ pointer: "/cc", code: "too-many", detail, maximum: RECIPIENTS_MAX });
	}
	const seen = new Set<string>();
	for (const [name, list] of [["to", to] as const, ["cc", cc] as const]) {
		for (const [n, address] of list.entries()) {
			if (typeof address !== "string") continue;
			const folded = address.toLowerCase();
			if (seen.has(folded)) {
				faults.push({ pointer: `/${name}/${n}`, code: "repeated", detail: msg`Send each address once.` });
			}
			seen.add(folded);
		}
	}
	return faults;
}

function listOf(value: unknown, name: string): readonly unknown[] {
	const found = member(value, name);
	return Array.isArray(found) ? found : [];
}
