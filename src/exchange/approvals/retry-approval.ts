/** Brings deliveries of a word back that ended without arriving. */
import { actorOf, recordAudit } from "../../identity/audit-log";
import { answerOnce } from "../../platform/idempotency";
import { type Call, NOT_KEPT } from "../../platform/operation";
import { append, reviveMessages } from "../../platform/outbox";
import { type Receiver, toApprovalRecord } from "./approval";
import { AUTHORITY_KIND, ISSUER_KIND } from "./decide";
import { reopenDeliveries } from "./delivery-store";
import type { DecisionDeps } from "./post-decision";
import { findOwnApproval } from "./read-approvals";
import { findApproval } from "./store";

const KINDS: Readonly<Record<Receiver, string>> = { issuer: ISSUER_KIND, authority: AUTHORITY_KIND };

export async function retryApproval({ sql, clock, wake }: DecisionDeps, call: Call): Promise<Response> {
	const { id, tenantId } = await findOwnApproval(sql, call);
	const answer = await answerOnce(sql, call, async (tx) => {
		const receivers = await reopenDeliveries(tx, id);
		for (const receiver of receivers) {
			const kind = KINDS[receiver];
			if ((await reviveMessages(tx, kind, [id])).length === 0) await append(tx, { kind, tenantId, subject: id });
		}
		if (receivers.length > 0) {
			const doer = { actor: actorOf(call), at: clock.now() };
			const details = { receivers: receivers.join(" ") };
			await recordAudit(tx, { ...doer, action: "approval.retry", subject: id, tenantId, details });
		}
		const row = await findApproval(tx, tenantId, id);
		if (!row) throw new Error(`approval ${id} vanished`);
		return { status: receivers.length > 0 ? 202 : 200, body: toApprovalRecord(row), headers: NOT_KEPT };
	});
	wake();
	return answer;
}
