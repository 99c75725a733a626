/** The buyer's word as the invoice's record shows it. */
import type { Sql } from "../database";
import type { InvoiceApproval } from "../invoices";
import { findByInvoice } from "./store";

export function createFindApproval(sql: Sql) {
	return async (tenantId: string, docId: string): Promise<InvoiceApproval | undefined> => {
		const row = await findByInvoice(sql, tenantId, docId);
		if (!row) return undefined;
		const { id: approvalId, decision, reason, decidedAt, createdAt } = row;
		return { approvalId, decision, reason, decidedAt: decidedAt.toISOString(), receivedAt: createdAt.toISOString() };
	};
}
