/** Brings deliveries of a word back that ended without arriving. */
import { actorOf, recordAudit } from "../audit";
import { type Call, json, NOT_KEPT } from "../operation";
import { append, reviveMessages } from "../outbox";
import { type Receiver, toApprovalRecord } from "./approval";
import { AUTHORITY_KIND, ISSUER_KIND } from "./decide";
import { reopenDeliveries } from "./delivery-store";
import type { DecisionDeps } from "./post-decision";
import { findOwnApproval } from "./read-approvals";

const KINDS: Readonly<Record<Receiver, string>> = { issuer: ISSUER_KIND, authority: AUTHORITY_KIND };

export async function retryApproval({ sql, clock, wake }: DecisionDeps, call: Call): Promise<Response> {
	const { id, tenantId } = await findOwnApproval(sql, call);
	const isReopened = await sql.begin(async (tx) => {
		const receivers = await reopenDeliveries(tx, id);
		for (const receiver of receivers) {
			const kind = KINDS[receiver];
			if ((await reviveMessages(tx, kind, [id])).length === 0) await append(tx, { kind, tenantId, subject: id });
		}
		if (receivers.length === 0) return false;
		const details = { receivers: receivers.join(" ") };
		const entry = { actor: actorOf(call), at: clock.now(), action: "approval.retry", subject: id, tenantId, details };
		await recordAudit(tx, entry);
		return true;
	});
	if (isReopened) wake();
	return json(isReopened ? 202 : 200, toApprovalRecord(await findOwnApproval(sql, call)), NOT_KEPT);
}
