/** Brings a failed document back. */
import type { Sql } from "../../../platform/database";
import { answerOnce, idempotencyKeyParameter } from "../../../platform/idempotency";
import { type Call, NEEDS_BOTH, NOT_KEPT, type Operation } from "../../../platform/operation";
import { append, reviveMessages } from "../../../platform/outbox";
import { SUBMIT_KIND } from "../model/message-kinds";
import { InvoiceStatus, toStatus } from "../model/status";
import { findInvoice, reopenInvoice } from "../model/store";
import { docIdParameter, findOwnInvoice, TAG } from "../view/own-invoice";

export type RetryDeps = { readonly sql: Sql; readonly wake: () => void };

const LOCATION = { Location: "The document's status." };

export function retryInvoiceOperation(deps: RetryDeps): Operation {
	return {
		id: "retryInvoice",
		method: "POST",
		path: "/v1/invoices/{docId}/retry",
		tag: TAG,
		summary: "Try a failed invoice again",
		description:
			"Brings a document of status `failed` back to `pending`, unless its failure says that it is not `retryable`; any other document stays as it is.",
		credentials: NEEDS_BOTH,
		scope: "invoices:write",
		parameters: [docIdParameter, idempotencyKeyParameter()],
		answers: {
			202: { description: "It was failed and is pending again.", schema: InvoiceStatus, headers: LOCATION },
			200: {
				description:
					"There was nothing to retry; where the document stands. Or a repeat of an idempotency key: the first answer again.",
				schema: InvoiceStatus,
				headers: LOCATION,
			},
		},
		problems: ["validation-error", "not-found", "idempotency-in-progress"],
		handle: (call) => retryInvoice(deps, call),
	};
}

async function retryInvoice({ sql, wake }: RetryDeps, call: Call): Promise<Response> {
	const { tenantId, docId } = await findOwnInvoice(sql, call, call.params.docId);
	const answer = await answerOnce(sql, call, async (tx) => {
		const isReopened = await reopenInvoice(tx, tenantId, docId);
		if (isReopened && (await reviveMessages(tx, SUBMIT_KIND, [docId])).length === 0)
			await append(tx, { kind: SUBMIT_KIND, tenantId, subject: docId });
		const row = await findInvoice(tx, tenantId, docId);
		if (!row) throw new Error(`document ${docId} vanished`);
		const headers = { location: `/v1/invoices/${docId}/status`, ...NOT_KEPT };
		return { status: isReopened ? 202 : 200, body: toStatus(row), headers };
	});
	wake();
	return answer;
}
