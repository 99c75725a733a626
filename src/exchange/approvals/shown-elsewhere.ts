/** Words as the records of what they are about show them: invoices and received documents. */

import type { FindInvoiceApproval } from "../../invoicing/invoices";
import type { Sql } from "../../platform/database";
import type { ApprovalSummary, FindApprovals } from "../reception";
import { toApprovalRecord } from "./approval";
import { findByInvoice, findByReceivedMany } from "./store";

/** The buyer's word on an invoice. */
export function createFindApproval(sql: Sql): FindInvoiceApproval {
	return async (tenantId, docId) => {
		const row = await findByInvoice(sql, tenantId, docId);
		if (!row) return undefined;
		const { id: approvalId, decision, reason, decidedAt, createdAt } = row;
		return { approvalId, decision, reason, decidedAt: decidedAt.toISOString(), receivedAt: createdAt.toISOString() };
	};
}

/** The company's own words on received documents. */
export function createFindApprovals(sql: Sql): FindApprovals {
	return async (tenantId, ids) => {
		const rows = await findByReceivedMany(sql, tenantId, ids);
		return new Map(
			rows.map((row): [string, ApprovalSummary] => {
				const { approvalId, decision, status } = toApprovalRecord(row);
				return [row.receivedDocumentId ?? "", { approvalId, decision, status }];
			}),
		);
	};
}
