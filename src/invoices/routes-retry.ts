/** Brings a failed document back. */
import type { Sql } from "../database";
import { type Call, json, NEEDS_BOTH, NOT_KEPT, type Operation } from "../operation";
import { append, reviveMessages } from "../outbox";
import { SUBMIT_KIND } from "./message-kinds";
import { docIdParameter, findOwnInvoice, TAG } from "./own-invoice";
import { InvoiceStatus, toStatus } from "./status";
import { reopenInvoice } from "./store";

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
		parameters: [docIdParameter],
		answers: {
			202: { description: "It was failed and is pending again.", schema: InvoiceStatus, headers: LOCATION },
			200: {
				description: "There was nothing to retry; where the document stands.",
				schema: InvoiceStatus,
				headers: LOCATION,
			},
		},
		problems: ["not-found"],
		handle: (call) => retryInvoice(deps, call),
	};
}

async function retryInvoice(deps: RetryDeps, call: Call): Promise<Response> {
	const row = await findOwnInvoice(deps.sql, call, call.params.docId);
	const isReopened = await deps.sql.begin(async (tx) => {
		if (!(await reopenInvoice(tx, row.tenantId, row.docId))) return false;
		const message = { kind: SUBMIT_KIND, tenantId: row.tenantId, subject: row.docId };
		if ((await reviveMessages(tx, message.kind, [row.docId])).length === 0) await append(tx, message);
		return true;
	});
	if (isReopened) deps.wake();
	const status = toStatus(await findOwnInvoice(deps.sql, call, row.docId));
	return json(isReopened ? 202 : 200, status, {
		location: `/v1/invoices/${row.docId}/status`,
		...NOT_KEPT,
	});
}
