/** Examines a counterparty's approval: verifies it first, then reads it. Looks nothing up and writes nothing. */

import { describeFault, type TrustedAuthority, verifyDocument } from "../../ecf/verification";
import { type Message, msg } from "../../platform/problem";
import { Decimal } from "../../platform/values";
import { childElements, textOf, type XmlElement } from "../../platform/xml";
import { type ApprovalContent, REASON_CHARACTERS_MAX } from "./approval";

/** Plain data that can cross between threads. */
export type ExaminedApproval =
	| { readonly kind: "genuine"; readonly approval: ApprovalContent; readonly signerSubject: string }
	| { readonly kind: "refused"; readonly code: "signature" | "specification"; readonly detail: Message };

export function examineApproval(
	bytes: Uint8Array,
	options: { readonly now: Date; readonly authorities: readonly TrustedAuthority[] | undefined },
): ExaminedApproval {
	const { content, signer, faults } = verifyDocument(bytes, options);
	if (!content || !signer) {
		const fault = faults[0] ? describeFault(faults[0]) : "";
		return { kind: "refused", code: "signature", detail: msg`The signature is not valid: ${fault}.` };
	}
	const approval = readAcecf(content);
	if ("template" in approval) return { kind: "refused", code: "specification", detail: approval };
	return { kind: "genuine", approval, signerSubject: signer.subject };
}

/*
 * Reading is tolerant where senders are known to differ: declarations on the root, white space between elements and around texts, `Version` as
 * a number, a total with no or one decimal. It is strict in everything that identifies the document and the decision: each element once, in
 * any order, and no other.
 * Source: the authority's ACECF format 1.0; live approvals.
 */

const ROOT = "ACECF";
const DETAIL = "DetalleAprobacionComercial";
const RNC = /^(\d{9}|\d{11})$/;
const REQUIRED: Readonly<Record<string, RegExp>> = {
	Version: /^1(\.0{1,2})?$/,
	RNCEmisor: RNC,
	eNCF: /^E\d{10,12}$/,
	FechaEmision: /^\d{1,2}-\d{1,2}-\d{4}$/,
	MontoTotal: /^\d{1,16}(\.\d{1,2})?$/,
	RNCComprador: RNC,
	Estado: /^[12]$/,
	FechaHoraAprobacionComercial: /^\d{2}-\d{2}-\d{4} \d{1,2}:\d{1,2}:\d{1,2}$/,
};
const REASON = "DetalleMotivoRechazo";

/** Reads the decision from `content`, the signed part of a verified document. A message describes what is wrong. */
export function readAcecf(root: XmlElement): ApprovalContent | Message {
	if (root.localName !== ROOT || root.namespace !== "") return msg`The root is not ${ROOT}.`;
	const [detail, ...others] = childElements(root);
	if (detail?.localName !== DETAIL || detail.namespace !== "" || others.length > 0) {
		return msg`${ROOT} must contain exactly one ${DETAIL}.`;
	}
	const texts = new Map<string, string>();
	for (const leaf of childElements(detail)) {
		const { localName: name } = leaf;
		if (!(Object.hasOwn(REQUIRED, name) || name === REASON) || leaf.namespace !== "")
			return msg`It contains an unknown element.`;
		if (texts.has(name)) return msg`${name} appears twice.`;
		if (childElements(leaf).length > 0) return msg`${name} is not a text.`;
		texts.set(name, textOf(leaf).trim());
	}
	const ill = Object.entries(REQUIRED).find(([name, form]) => !form.test(texts.get(name) ?? ""));
	if (ill) return msg`${ill[0]} is missing or malformed.`;
	return readTexts((name) => texts.get(name) ?? "", texts.get(REASON) ?? null);
}

function readTexts(at: (name: string) => string, reason: string | null): ApprovalContent | Message {
	const decision = at("Estado") === "1" ? "approved" : "rejected";
	const isBlank = reason === null || reason === "";
	if (decision === "rejected" && isBlank) return msg`A rejection has no ${REASON}.`;
	if (reason !== null && [...reason].length > REASON_CHARACTERS_MAX) {
		return msg`${REASON} has more than ${REASON_CHARACTERS_MAX} characters.`;
	}
	const day = readInstant(at("FechaEmision"), "0:0:0");
	const [date = "", time = ""] = at("FechaHoraAprobacionComercial").split(" ");
	const decidedAt = readInstant(date, time);
	if (!day || !decidedAt) return msg`It names a day or time that does not exist.`;
	return {
		issuerRnc: at("RNCEmisor"),
		buyerRnc: at("RNCComprador"),
		encf: at("eNCF"),
		issueDate: toIsoDay(day),
		total: Decimal.of(at("MontoTotal")).toFixed(2),
		decision,
		reason: isBlank ? null : reason,
		decidedAt,
	};
}

/** The authority's local time is UTC-4 all year. */
const OFFSET_HOURS = 4;

function readInstant(date: string, time: string): Date | undefined {
	const [day = 0, month = 0, year = 0] = date.split("-").map(Number);
	const [hour = 0, minute = 0, second = 0] = time.split(":").map(Number);
	const wall = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
	const isThere = wall.getUTCFullYear() === year && wall.getUTCMonth() === month - 1 && wall.getUTCDate() === day;
	const isTime = hour < 24 && minute < 60 && second < 60;
	const instant = new Date(wall.getTime() + OFFSET_HOURS * 3_600_000);
	// The last evening of 9999 falls into a five-digit year in UTC, which the database cannot read.
	const isWritable = year >= 1_900 && instant.getUTCFullYear() <= 9_999;
	return isThere && isTime && isWritable ? instant : undefined;
}

function toIsoDay(midnight: Date): string {
	return new Date(midnight.getTime() - OFFSET_HOURS * 3_600_000).toISOString().slice(0, 10);
}

export type ExamineSetup = {
	/** PEM bundle of the authorities that issue signers' certificates. Without it only the integrity of an approval is checked. */
	readonly trustedCaFile: string | undefined;
};
export type ExamineJob = {
	readonly bytes: Uint8Array;
	/** ISO instant. */
	readonly now: string;
};
