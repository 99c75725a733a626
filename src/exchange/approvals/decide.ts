/** Says our word on a received document, once: the word, its two deliveries and their messages in one transaction. */

import { configMissing, isActive } from "../../companies";
import { findProfile } from "../../ecf/mapping";
import { actorOf, recordAudit } from "../../identity/audit-log";
import type { Tx } from "../../platform/database";
import { answerOnce, type Written } from "../../platform/idempotency";
import { type Call, idFrom, tenantOf } from "../../platform/operation";
import { append, OUTBOX_KINDS } from "../../platform/outbox";
import { type Fault, Problem } from "../../platform/problem";
import { Decimal, newId } from "../../platform/values";
import { findReceivedDocument, lockNumber, type ReceivedDocument } from "../reception";
import { type ApprovalRequest, type ApprovalRow, type Decision, toApprovalRecord } from "./approval";
import type { ApprovalDeps } from "./deps";
import { findByReceived, findOnNumber, insertApproval, insertDeliveries } from "./store";

export type NewDecision = {
	readonly decision: Decision;
	readonly reason: string | null;
	/** The order by which the rule said it; null of a word that somebody said. */
	readonly purchaseOrder: string | null;
	readonly at: Date;
};

/**
 * The word on the document: this one, or the one that was said before. Waits for whoever is saying one at the same time.
 * Throws: approval-not-required for a type that takes none.
 */
export async function decide(
	tx: Tx,
	document: ReceivedDocument,
	word: NewDecision,
): Promise<{ readonly approval: ApprovalRow; readonly isNew: boolean }> {
	const { tenantId, type, issuerRnc, buyerRnc, encf, issueDate, grandTotal } = document;
	if (!findProfile(type)?.approvable) throw new Problem("approval-not-required");
	const id = newId();
	const isNew = await insertApproval(tx, {
		...{ id, tenantId, direction: "out", receivedDocumentId: document.id, docId: null },
		...{ issuerRnc, buyerRnc, encf, issueDate, total: grandTotal },
		...{ decision: word.decision, reason: word.reason, purchaseOrder: word.purchaseOrder, signer: null },
		...{ decidedAt: word.at, createdAt: word.at },
	});
	if (isNew) {
		await insertDeliveries(tx, id, tenantId);
		await append(
			tx,
			{ kind: OUTBOX_KINDS.sendApprovalToIssuer, tenantId, subject: id },
			{ kind: OUTBOX_KINDS.sendApprovalToAuthority, tenantId, subject: id },
		);
	}
	const approval = await findByReceived(tx, tenantId, document.id);
	if (!approval) throw new Error(`the word on document ${document.id} was written and is not there`);
	return { approval, isNew };
}

/* HEAD post-decision.ts: Takes a company's decision on a received document. */

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
			const word = { decision, reason: reason?.trim() ?? null, purchaseOrder: null, at };
			const { approval, isNew } = await decide(tx, document, word);
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
	const fault = (code: string, detail: string): Fault[] => [{ pointer: "/reason", code, detail }];
	const isBlank = reason === null || reason.trim() === "";
	if (decision === "rejected" && isBlank) {
		throw new Problem("validation-error", { faults: fault("required", "A rejection says why.") });
	}
	if (decision === "approved" && reason !== null) {
		throw new Problem("validation-error", { faults: fault("unexpected", "Only a rejection has a reason.") });
	}
}

/** Nobody who got the first word could tell it from one on this document. */
function decidedOnNumber({ id, decision, decidedAt }: ApprovalRow): Problem {
	return new Problem("approval-already-decided", {
		detail: `Another document of this number was ${decision} at ${decidedAt.toISOString()}, of the same day and total, which is what a decision names.`,
		extensions: { approvalId: id, decision },
	});
}

function contradiction({ id, decision, decidedAt }: ApprovalRow): Problem {
	return new Problem("approval-already-decided", {
		detail: `The document was ${decision} at ${decidedAt.toISOString()}.`,
		extensions: { approvalId: id, decision },
	});
}

/* HEAD check-document.ts: Whether a company may decide on a received document, by what the authority has said of it and of others under its number. */

/**
 * A word names issuer and number alone, so it is about whichever document the authority has there: on a copy that is not known to be that one
 * nothing is said, neither good nor bad. Throws: duplicate-document; approval-already-decided for a document that the authority has rejected.
 *
 * Gap: the authority takes approvals of accepted documents alone. A rejected one can be rejected all the same: its issuer then hears that the buyer
 * does not owe it. One that the authority does not know yet may be approved, as long as it is the only one.
 */
export function checkDocument({ proof, authorityStatus }: ReceivedDocument, decision: Decision): void {
	if (proof === "superseded") {
		const detail = "The authority has accepted another document under this number; decide on that one.";
		throw new Problem("duplicate-document", { detail, extensions: { proof } });
	}
	if (proof === "contested") {
		const detail =
			"Several documents came under this number, and the authority has not told yet which one is its issuer's.";
		throw new Problem("duplicate-document", { detail, extensions: { proof } });
	}
	if (authorityStatus === "rejected" && decision === "approved") {
		const detail = "The authority has rejected the document, so there is nothing to approve; it can still be rejected.";
		throw new Problem("approval-already-decided", { detail, extensions: { authorityStatus } });
	}
}

/**
 * True when a word on another document of the number says all that one on this document would.
 *
 * Gap: then the first word stands. One that names another day or total was about nothing, for no issuer finds it among its documents; and one on
 * a document that the authority has rejected is over with it, since its issuer may have made it anew under the number.
 */
export function coversDocument(
	word: Pick<ApprovalRow, "issueDate" | "total">,
	{ issueDate, grandTotal }: Pick<ReceivedDocument, "issueDate" | "grandTotal">,
): boolean {
	return word.issueDate === issueDate && Decimal.of(word.total).equals(Decimal.of(grandTotal));
}
