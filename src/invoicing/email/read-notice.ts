/**
 * Reads what mail servers report of an e-mail: delivery status notifications and complaints.
 *
 *     multipart/report ─┬─ message/delivery-status   fields of the message, an empty line, fields of each recipient
 *                       │  message/feedback-report   fields of a complaint
 *                       └─ message/rfc822 or text/rfc822-headers   what came back: its Message-ID is ours
 *
 * Each recipient gets its own message, so everything in a notice concerns that recipient, even if a mailing list has many. The worst result counts. A
 * notice is matched by its envelope id or its Message-ID, which only servers on the mail's path know.
 * Source: RFC 3464, RFC 3461, RFC 5965.
 */
import { toHeaderText } from "../../platform/mail";
import { isId } from "../../platform/values";
import type { EmailStatus } from "./email";

export type NoticeStatus = Extract<EmailStatus, "delivered" | "bounced" | "complained">;

export type Notice = {
	/** The recipient's id, the part of the Message-ID before the `@`. */
	readonly recipientId: string;
	readonly status: NoticeStatus;
	readonly reason: string | null;
};

const REASON_LENGTH_MAX = 500;

/** Undefined if the message is no final notice, for example a delay, an absence note, or mail to another address. */
export function readNotice(bytes: Uint8Array): Notice | undefined {
	const message = readPart(Buffer.from(bytes).toString("latin1"));
	if (mediaTypeOf(message) !== "multipart/report") return undefined;
	const parts = splitParts(message);
	const said = parts.map(readDeliveryStatus).find(Boolean) ?? parts.map(readComplaint).find(Boolean);
	if (!said) return undefined;
	const recipientId = [said.envelopeId, ...parts.map(returnedId)].find((one) => one !== undefined && isId(one));
	return recipientId === undefined ? undefined : { recipientId, status: said.status, reason: said.reason };
}

/** The id in a Message-ID of this service, with or without brackets. */
export function readMessageId(text: string): string | undefined {
	const [, id = ""] = /^\s*<?([0-9A-Fa-f-]{36})@[^@<>\s]{1,255}>?\s*$/.exec(text) ?? [];
	return isId(id.toLowerCase()) ? id.toLowerCase() : undefined;
}

export function toReason(text: string): string | null {
	const reason = toHeaderText(text, REASON_LENGTH_MAX);
	return reason === "" ? null : reason;
}

type Said = Omit<Notice, "recipientId"> & { readonly envelopeId?: string | undefined };

function readDeliveryStatus(part: Part): Said | undefined {
	if (!["message/delivery-status", "message/global-delivery-status"].includes(mediaTypeOf(part))) return undefined;
	const groups = decodeBody(part)
		.split(/\n[ \t]*\n/)
		.map((group) => readFields(group.trim()));
	const [ofMessage, ...ofRecipients] = groups.filter((fields) => fields.size > 0);
	const envelopeId = ofMessage?.get("original-envelope-id")?.toLowerCase();
	for (const [action, status] of [["failed", "bounced"] as const, ["delivered", "delivered"] as const]) {
		const fields = ofRecipients.find((one) => one.get("action")?.toLowerCase().startsWith(action));
		if (!fields) continue;
		const text = [fields.get("status"), fields.get("diagnostic-code")].filter((one) => one !== undefined).join(" ");
		return { envelopeId, status, reason: status === "delivered" ? null : toReason(text) };
	}
	return undefined;
}

function readComplaint(part: Part): Said | undefined {
	if (mediaTypeOf(part) !== "message/feedback-report") return undefined;
	const fields = readFields(decodeBody(part).trim());
	const kind = fields.get("feedback-type")?.toLowerCase();
	// A report may also say that a mail is no spam.
	if (kind === undefined || kind === "not-spam") return undefined;
	return {
		status: "complained",
		reason: toReason(kind),
		envelopeId: fields.get("original-envelope-id")?.toLowerCase(),
	};
}

const RETURNED = ["message/rfc822", "text/rfc822-headers", "message/global", "message/global-headers"];

function returnedId(part: Part): string | undefined {
	if (!RETURNED.includes(mediaTypeOf(part))) return undefined;
	return readMessageId(readPart(`${decodeBody(part)}\n\n`).headers.get("message-id") ?? "");
}

/** A MIME message or part, read as Latin-1. Unreadable parts are empty, never an error. Source: RFC 5322, RFC 2045, RFC 2046. */
export type Part = {
	/** By lower-case name, unfolded; the first of equal names. */
	readonly headers: ReadonlyMap<string, string>;
	/** As sent, with bare line feeds. */
	readonly body: string;
};

const PARTS_MAX = 20;

export function readPart(text: string): Part {
	const lines = text.replace(/\r\n?/g, "\n");
	// A message without headers starts with the empty line.
	const end = lines.startsWith("\n") ? 0 : lines.indexOf("\n\n");
	const head = end < 0 ? lines : lines.slice(0, end);
	return { headers: readFields(head), body: end < 0 ? "" : lines.slice(end).replace(/^\n{1,2}/, "") };
}

/** `Name: value` lines, as in headers and in the groups of a notice. */
export function readFields(text: string): Map<string, string> {
	const fields = new Map<string, string>();
	for (const line of text.replace(/\n[ \t]+/g, " ").split("\n")) {
		const colon = line.indexOf(":");
		const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
		if (/^[!-9;-~]+$/.test(name) && !fields.has(name)) fields.set(name, line.slice(colon + 1).trim());
	}
	return fields;
}

/** In lower case, without parameters. */
export function mediaTypeOf({ headers }: Part): string {
	return (headers.get("content-type") ?? "text/plain").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** The parts of a multipart message; empty for other messages. */
export function splitParts(part: Part): Part[] {
	const type = part.headers.get("content-type") ?? "";
	const [, quoted, bare] = /;\s*boundary\s*=\s*(?:"([^"]{1,100})"|([^\s;"]{1,100}))/i.exec(type) ?? [];
	const boundary = quoted ?? bare;
	if (boundary === undefined || !mediaTypeOf(part).startsWith("multipart/")) return [];
	const parts: string[][] = [];
	for (const line of part.body.split("\n")) {
		const isMark = line.startsWith(`--${boundary}`);
		const rest = isMark ? line.slice(boundary.length + 2).trimEnd() : undefined;
		if (rest === "--") break;
		if (rest === "") {
			if (parts.length === PARTS_MAX) break;
			parts.push([]);
		} else parts.at(-1)?.push(line);
	}
	return parts.map((lines) => readPart(lines.join("\n")));
}

/** A part's content without its transfer encoding. */
export function decodeBody({ headers, body }: Part): string {
	const encoding = (headers.get("content-transfer-encoding") ?? "7bit").toLowerCase();
	if (encoding === "base64") return Buffer.from(body, "base64").toString("latin1").replace(/\r\n?/g, "\n");
	if (encoding !== "quoted-printable") return body;
	return body
		.replace(/=[ \t]*\n/g, "")
		.replace(/=([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
