/** Says our word on a received document, once: the word, its two deliveries and their messages in one transaction. */
import { findProfile } from "../../ecf/mapping";
import type { Tx } from "../../platform/database";
import { append } from "../../platform/outbox";
import { Problem } from "../../platform/problem";
import { newId } from "../../platform/values";
import type { ReceivedDocument } from "../reception";
import type { ApprovalRow, Decision } from "./approval";
import { insertDeliveries } from "./delivery-store";
import { findByReceived, insertApproval } from "./store";

/** Outbox messages of a word on its way; their subject is the approval. */
export const ISSUER_KIND = "approval.issuer";
export const AUTHORITY_KIND = "approval.authority";

export type Word = {
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
	word: Word,
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
		await append(tx, { kind: ISSUER_KIND, tenantId, subject: id }, { kind: AUTHORITY_KIND, tenantId, subject: id });
	}
	const approval = await findByReceived(tx, tenantId, document.id);
	if (!approval) throw new Error(`the word on document ${document.id} was written and is not there`);
	return { approval, isNew };
}
