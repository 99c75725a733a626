/** Takes a company's decision on a received document. */

import { configMissing, isActive } from "../../companies";
import { actorOf, recordAudit } from "../../identity/audit-log";
import type { Sql } from "../../platform/database";
import { answerOnce, type Written } from "../../platform/idempotency";
import { type Call, idFrom, tenantOf } from "../../platform/operation";
import { type Fault, Problem } from "../../platform/problem";
import type { Clock } from "../../platform/values";
import { findReceivedDocument, lockNumber } from "../reception";
import { type ApprovalRequest, type ApprovalRow, toApprovalRecord } from "./approval";
import { checkDocument, isSaidOf } from "./check-document";
import { decide } from "./decide";
import { findByReceived, findOnNumber } from "./store";

export type DecisionDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	/** Tells dispatchers that a message waits. */
	readonly wake: () => void;
};

/** Throws: malformed-json, validation-error, not-found, approval-not-required, approval-already-decided, duplicate-document, tenant-config-missing. */
export async function postDecision({ sql, clock, wake }: DecisionDeps, call: Call): Promise<Response> {
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
				if (other && isSaidOf(other, document)) throw saidOnNumber(other);
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
function saidOnNumber({ id, decision, decidedAt }: ApprovalRow): Problem {
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
