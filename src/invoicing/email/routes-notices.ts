/**
 * The hook for notices of mail servers. The operator's mail system posts mail to the sender's address here, unchanged.
 *
 * The operator calls it, not a tenant, with a signature of the operator's secret in the form of webhook signatures. Mail without a matching
 * recipient gets 200 too, because mail systems retry refused mail for days.
 */
import { Type } from "@sinclair/typebox";
import { enqueueEvent, verifySignature } from "../../events/webhooks";
import type { Sql } from "../../platform/database";
import {
	type Call,
	checkBody,
	JSON_BYTES_MAX,
	json,
	type Operation,
	PUBLIC,
	parseJson,
	readBytes,
} from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import type { EmailDeps, EmailStatus } from "./email";
import { type Notice, readMessageId, readNotice, toReason } from "./read-notice";
import { lockRecipient, recordNotice } from "./store";

const MESSAGE = "message/rfc822";
const SIGNATURE = "X-Mail-Signature";

/** What a mail server sends back. Source: RFC 3464, appendix E.1, cut to what is read. */
const NOTIFICATION = [
	"From: MAILER-DAEMON@mail.example",
	"To: no-reply@sello.example",
	"Subject: Delivery Status Notification (Failure)",
	"MIME-Version: 1.0",
	"Content-Type: multipart/report; report-type=delivery-status; boundary=part",
	"",
	"--part",
	"Content-Type: message/delivery-status",
	"",
	"Reporting-MTA: dns; mail.example",
	"",
	"Final-Recipient: rfc822; compras@cliente.do",
	"Action: failed",
	"Status: 5.1.1",
	"Diagnostic-Code: smtp; 550 5.1.1 no such user",
	"",
	"--part",
	"Content-Type: text/rfc822-headers",
	"",
	"Message-ID: <0192f131-7a00-7b11-9c22-334455667788@sello.example>",
	"",
	"--part--",
	"",
].join("\r\n");

const NoticeRequest = Type.Object(
	{
		messageId: Type.String({
			maxLength: 320,
			description: "Message-ID of the e-mail, with or without brackets.",
		}),
		status: Type.Union([Type.Literal("delivered"), Type.Literal("bounced"), Type.Literal("complained")], {
			description: "What became of the e-mail: `delivered`, `bounced`, or reported as unwanted (`complained`).",
		}),
		reason: Type.Optional(Type.String({ maxLength: 500, description: "The mail server's words." })),
	},
	{ $id: "MailNotice", additionalProperties: false },
);

const NoticeAnswer = Type.Object({
	matched: Type.Boolean({ description: "The notice concerns an e-mail of this service." }),
	changed: Type.Boolean({ description: "The notice changed its status." }),
});

export function takeMailNoticeOperation(deps: Pick<EmailDeps, "sql" | "clock" | "mailHookSecret">): Operation {
	return {
		id: "takeMailNotice",
		sdk: null,
		method: "POST",
		path: "/v1/mail/bounces",
		tag: "Operator",
		summary: "Report the delivery of an e-mail",
		description:
			`For the operator. As ${MESSAGE}: a complete delivery status notification (RFC 3464) or complaint (RFC 5965). ` +
			"Other mail to the sender's address may be posted too and changes nothing. As JSON: the same in three members, for the notices of mail providers. " +
			`${SIGNATURE} is \`t=<unix seconds>,v1=<hex>\`: HMAC-SHA256 with MAIL_HOOK_SECRET over \`<t>.\` and the body, at most 300 seconds old. ` +
			"A repeated notice changes nothing. The company gets a bounce or a complaint as `email.bounced`.",
		credentials: PUBLIC,
		parameters: [
			{
				name: SIGNATURE,
				in: "header",
				required: true,
				description: "Signature of time and body.",
				schema: Type.String(),
				example: `t=1795185600,v1=${"0f".repeat(32)}`,
			},
		],
		body: {
			schema: NoticeRequest,
			limitBytes: JSON_BYTES_MAX,
			required: true,
			mediaTypes: ["application/json", MESSAGE],
			example: {
				messageId: "<0192f131-7a00-7b11-9c22-334455667788@sello.example>",
				status: "bounced",
				reason: "550 5.1.1 no such user",
			},
			otherForms: { [MESSAGE]: { schema: Type.String(), example: NOTIFICATION } },
		},
		answers: {
			200: { description: "The notice was read.", schema: NoticeAnswer, example: { matched: true, changed: true } },
		},
		problems: ["unauthorised", "malformed-json", "validation-error"],
		handle: (call) => takeNotice(deps, call),
	};
}

async function takeNotice(
	{ sql, clock, mailHookSecret }: Pick<EmailDeps, "sql" | "clock" | "mailHookSecret">,
	call: Call,
): Promise<Response> {
	const bytes = await readBytes(call);
	const now = clock.now();
	const signature = call.request.headers.get(SIGNATURE) ?? "";
	const isGenuine =
		mailHookSecret !== undefined && verifySignature(mailHookSecret, signature, bytes, now.getTime() / 1_000);
	if (!isGenuine) {
		const detail = msg`${SIGNATURE} is not a current signature of this body.`;
		throw new Problem("unauthorised", { detail, headers: { "www-authenticate": 'HMAC-SHA256 realm="mail"' } });
	}
	const isMessage = (call.request.headers.get("content-type") ?? "").trim().toLowerCase().startsWith(MESSAGE);
	const notice = isMessage ? readNotice(bytes) : readJsonNotice(bytes);
	return json(200, notice ? await applyNotice(sql, notice, now) : { matched: false, changed: false }, {
		"cache-control": "no-store",
	});
}

/** Undefined for a Message-ID of another service. */
function readJsonNotice(bytes: Uint8Array): Notice | undefined {
	const {
		messageId,
		status,
		reason = "",
	} = checkBody<(typeof NoticeRequest)["static"]>(parseJson(bytes), NoticeRequest);
	const recipientId = readMessageId(messageId);
	return recipientId === undefined ? undefined : { recipientId, status, reason: toReason(reason) };
}

/**
 * A notice counts if it ranks above the known status, so repeated and late ones change nothing. A refused or skipped recipient never received anything,
 * so no notice can change it.
 */
const RANKS: Readonly<Record<EmailStatus, number>> = {
	...{ queued: 0, sent: 1, delivered: 2, bounced: 3, complained: 4, failed: 5, skipped: 5 },
};

export type Applied = {
	/** The recipient exists. */
	readonly matched: boolean;
	readonly changed: boolean;
};

export async function applyNotice(sql: Sql, { recipientId, status, reason }: Notice, at: Date): Promise<Applied> {
	return sql.begin(async (tx) => {
		const concerned = await lockRecipient(tx, recipientId);
		if (!concerned) return { matched: false, changed: false };
		if (RANKS[status] <= RANKS[concerned.status]) return { matched: true, changed: false };
		await recordNotice(tx, { tenantId: concerned.tenantId, recipientId }, { status, reason, at });
		if (status !== "delivered") {
			const { tenantId, docId, encf, emailId, address } = concerned;
			await enqueueEvent(tx, {
				event: "email.bounced",
				...{ tenantId, docId, trackId: docId, encf, occurredAt: at },
				email: { emailId, recipient: address, status, reason },
			});
		}
		return { matched: true, changed: true };
	});
}
