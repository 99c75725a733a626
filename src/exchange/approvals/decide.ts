/** Decides on a received document, once: the decision, its two deliveries and their messages are written in one transaction. */

import { configMissing, isActive } from "../../companies";
import { findProfile } from "../../ecf/mapping";
import { actorOf, recordAudit } from "../../identity/audit-log";
import type { Tx } from "../../platform/database";
import { answerOnce, type Written } from "../../platform/idempotency";
import { type Call, idFrom, tenantOf } from "../../platform/operation";
import { append, OUTBOX_KINDS } from "../../platform/outbox";
import { type Fault, type Message, msg, Problem } from "../../platform/problem";
import { Decimal, newId } from "../../platform/values";
import { findReceivedDocument, lockNumber, type ReceivedDocument } from "../reception";
import { type ApprovalRequest, type ApprovalRow, type Decision, toApprovalRecord } from "./approval";
import type { ApprovalDeps } from "./deps";
import { findByReceived, findOnNumber, insertApproval, insertDeliveries } from "./store";

export type NewDecision = {
	readonly decision: Decision;
	readonly reason: string | null;
	/** The order by which the rule decided; null if a person did. */
	readonly purchaseOrder: string | null;
	readonly at: Date;
};

/**
 * The decision on the document: this one, or an earlier one. Waits for a concurrent decision. Throws: approval-not-required for a type that
 * takes none.
 */
export async function decide(
	tx: Tx,
	document: ReceivedDocument,
	decision: NewDecision,
): Promise<{ readonly approval: ApprovalRow; readonly isNew: boolean }> {
	const { tenantId, type, issuerRnc, buyerRnc, encf, issueDate, grandTotal } = document;
	if (!findProfile(type)?.approvable) throw new Problem("approval-not-required");
	const id = newId();
	const isNew = await insertApproval(tx, {
		...{ id, tenantId, direction: "out", receivedDocumentId: document.id, docId: null },
		...{ issuerRnc, buyerRnc, encf, issueDate, total: grandTotal },
		...{ decision: decision.decision, reason: decision.reason, purchaseOrder: decision.purchaseOrder, signer: null },
		...{ decidedAt: decision.at, createdAt: decision.at },
	});
	if (isNew) {
		await insertDeliveries(tx, { tenantId, approvalId: id });
		await append(
			tx,
			{ kind: OUTBOX_KINDS.sendApprovalToIssuer, tenantId, subject: id },
			{ kind: OUTBOX_KINDS.sendApprovalToAuthority, tenantId, subject: id },
		);
	}
	const approval = await findByReceived(tx, tenantId, document.id);
	if (!approval) throw new Error(`the decision on document ${document.id} was written and is not there`);
	return { approval, isNew };
}

/** Throws: malformed-json, validation-error, not-found, approval-not-required, approval-already-decided, duplicate-document, tenant-config-missing. */
export async function postDecision({ sql, clock, wake }: ApprovalDeps, call: Call): Promise<Response> {
	const tenantId = tenantOf(call);
	const documentId = idFrom(call);
	const answer = await answerOnce<ApprovalRequest>(
		sql,
		call,
		async (tx, { decision, reason = null }): Promise<Written> => {
			const document = await findReceivedDocument(tx, tenantId, documentId);
			if (!document) throw new Problem("not-found");
			checkReason(decision, reason);
			if (!(await isActive(tx, tenantId))) throw configMissing(tenantId, ["active"]);
			await lockNumber(tx, tenantId, document);
			if (!(await findByReceived(tx, tenantId, documentId))) {
				const other = await findOnNumber(tx, document);
				if (other && coversDocument(other, document)) throw decidedOnNumber(other);
				checkDocument(document, decision);
			}
			const at = clock.now();
			const reasoned = { decision, reason: reason?.trim() ?? null, purchaseOrder: null, at };
			const { approval, isNew } = await decide(tx, document, reasoned);
			if (approval.decision !== decision) throw contradiction(approval);
			const record = toApprovalRecord(approval);
			const location = record._links.self;
			if (!isNew) return { status: 200, body: record, headers: { location } };
			const details = { approvalId: approval.id, decision };
			await recordAudit(tx, {
				actor: actorOf(call),
				at,
				action: "document.decide",
				subject: documentId,
				tenantId,
				details,
			});
			return { status: 202, body: record, headers: { location, "retry-after": "5" } };
		},
	);
	if (answer.status === 202) wake();
	return answer;
}

function checkReason(decision: string, reason: string | null): void {
	const fault = (code: string, detail: Message): Fault[] => [{ pointer: "/reason", code, detail }];
	const isBlank = reason === null || reason.trim() === "";
	if (decision === "rejected" && isBlank) {
		throw new Problem("validation-error", { faults: fault("required", msg`A rejection needs a reason.`) });
	}
	if (decision === "approved" && reason !== null) {
		throw new Problem("validation-error", { faults: fault("unexpected", msg`Only a rejection has a reason.`) });
	}
}

function nameOf(decision: Decision): Message {
	return decision === "approved" ? msg`approved` : msg`rejected`;
}

/** The receivers of the first decision could not distinguish it from one on this document. */
function decidedOnNumber({ id, decision, decidedAt }: ApprovalRow): Problem {
	return new Problem("approval-already-decided", {
		detail: msg`Another document under this number, with the same day and total, was ${nameOf(decision)} at ${decidedAt.toISOString()}. A decision names only these values.`,
		extensions: { approvalId: id, decision },
	});
}

function contradiction({ id, decision, decidedAt }: ApprovalRow): Problem {
	return new Problem("approval-already-decided", {
		detail: msg`The document was ${nameOf(decision)} at ${decidedAt.toISOString()}.`,
		extensions: { approvalId: id, decision },
	});
}

/**
 * Checks whether the company may decide on the document. A decision names only issuer and number, so it applies to whichever document the
 * authority has there. No decision is possible on a copy that may be another document.
 * Throws: duplicate-document; approval-already-decided for approving a document that the authority has rejected.
 *
 * Gap: the authority takes approvals of accepted documents only. A rejected document can still be rejected, so that its issuer learns that the
 * buyer does not owe it. An unknown document may be approved if it is the only one under its number.
 */
export function checkDocument({ proof, authorityStatus }: ReceivedDocument, decision: Decision): void {
	if (proof === "superseded") {
		const detail = msg`The authority has accepted another document under this number; decide on that one.`;
		throw new Problem("duplicate-document", { detail, extensions: { proof } });
	}
	if (proof === "contested") {
		const detail = msg`Several documents came under this number, and the authority has not yet confirmed which one is its issuer's.`;
		throw new Problem("duplicate-document", { detail, extensions: { proof } });
	}
	if (authorityStatus === "rejected" && decision === "approved") {
		const detail = msg`The authority has rejected the document, so it cannot be approved; it can still be rejected.`;
		throw new Problem("approval-already-decided", { detail, extensions: { authorityStatus } });
	}
}

/**
 * True when a decision on another document of the number covers this document too.
 *
 * Gap: then the first decision stands. A decision with another day or total has no effect, since no issuer finds it among its documents. A
 * decision on a document that the authority has rejected ends with it, since the issuer may have issued the number again.
 */
export function coversDocument(
	decision: Pick<ApprovalRow, "issueDate" | "total">,
	{ issueDate, grandTotal }: Pick<ReceivedDocument, "issueDate" | "grandTotal">,
): boolean {
	return decision.issueDate === issueDate && Decimal.of(decision.total).equals(Decimal.of(grandTotal));
}
