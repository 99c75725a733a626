/**
 * Approves for a company what it has ordered: handler of `approval.rule`, whose subject is a received document.
 *
 *     document arrives ─▶ rule on, order named ─▶ message ─▶ accepted by the authority ─▶ open order, issuer, amount ─▶ decision
 *
 * The message is written in the transaction that stores the document, so no document is missed. The decision has its own transaction, which
 * locks the order, so two documents cannot use one order. Whatever does not fit is left to a person. The rule covers only invoices (31, 44),
 * since a note changes what was agreed.
 */

import { CONTINGENCY_SECONDS } from "../../authority/client";
import { isActive } from "../../companies";
import { findProfile } from "../../ecf/mapping";
import { operatorActor, recordAudit } from "../../identity/audit-log";
import type { Tx } from "../../platform/database";
import { append, done, type Handler, lockLeasedMessage, OUTBOX_KINDS, snooze } from "../../platform/outbox";
import { Decimal } from "../../platform/values";
import { findReceivedDocument, lockNumber, type OnReceived, type ReceivedDocument } from "../reception";
import { decide } from "./decide";
import type { ApprovalDeps } from "./deps";
import { findRule, lockOpenOrder, useOrder } from "./order-store";
import { findOnNumber } from "./store";

/** How long the rule waits for the authority to know the document, since its issuer may submit it that late. After that a person decides. */
const PATIENCE_SECONDS = CONTINGENCY_SECONDS;
const PAUSE_SECONDS = { least: 2, most: 3_600 };

export const enqueueRule: OnReceived = async (tx, document) => {
	const { id, tenantId, type, orderNumber } = document;
	if (orderNumber === null || !findProfile(type)?.approvedByRule) return;
	if ((await findRule(tx, tenantId))?.isEnabled)
		await append(tx, { kind: OUTBOX_KINDS.applyApprovalRule, tenantId, subject: id });
};

export function createApplyRule({ sql, clock, wake }: Pick<ApprovalDeps, "sql" | "clock" | "wake">): Handler {
	return async (message) => {
		const { tenantId, subject, ageSeconds } = message;
		const document = await findReceivedDocument(sql, tenantId, subject);
		if (!document || document.authorityStatus === "rejected") return done;
		if (document.authorityStatus !== "accepted") {
			// A document that the authority does not know may be a forgery.
			return ageSeconds < PATIENCE_SECONDS ? snooze(pauseSeconds(ageSeconds)) : done;
		}
		await sql.begin(async (tx) => {
			if (await lockLeasedMessage(tx, message)) await approveOrdered(tx, document, clock.now());
		});
		wake();
		return done;
	};
}

/** A quarter of the elapsed time. */
function pauseSeconds(ageSeconds: number): number {
	return Math.min(PAUSE_SECONDS.most, Math.max(PAUSE_SECONDS.least, ageSeconds / 4));
}

/** Approves a document that matches an open order, unless it has been decided before. */
async function approveOrdered(tx: Tx, document: ReceivedDocument, at: Date): Promise<void> {
	const { id, tenantId, orderNumber, grandTotal } = document;
	const rule = await findRule(tx, tenantId);
	const number = orderNumber?.trim();
	// If the authority seems to have accepted two documents under one number, a person decides.
	if (document.proof !== "proven") return;
	if (!rule?.isEnabled || number === undefined || !findProfile(document.type)?.approvedByRule) return;
	await lockNumber(tx, tenantId, document);
	if (await findOnNumber(tx, document)) return;
	const order = await lockOpenOrder(tx, tenantId, number);
	if (order?.issuerRnc !== document.issuerRnc) return;
	if (order.amount !== null && !isWithin(grandTotal, order.amount, rule.tolerance)) return;
	const decision = { decision: "approved", reason: null, purchaseOrder: number, at } as const;
	// The rule may not decide for a company that may not decide itself.
	if (!(await isActive(tx, tenantId))) return;
	const { approval, isNew } = await decide(tx, document, decision);
	if (!isNew) return;
	await useOrder(tx, tenantId, number, approval.id);
	const details = { approvalId: approval.id, decision: "approved", purchaseOrder: number };
	const doer = { actor: operatorActor(), at, tenantId };
	await recordAudit(tx, { ...doer, action: "document.decide", subject: id, details });
	const used = {
		changed: order.isReusable ? ["approvalId"] : ["approvalId", "status"],
		details: { approvalId: approval.id },
	};
	await recordAudit(tx, { ...doer, action: "purchase-order.use", subject: number, ...used });
}

function isWithin(total: string, amount: string, tolerance: string): boolean {
	return Decimal.of(total).minus(Decimal.of(amount)).abs().compare(Decimal.of(tolerance)) <= 0;
}
