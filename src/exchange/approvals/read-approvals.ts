/** Shows decisions and their signed documents to the company that made or received them, and summarises them for other records. */

import type { FindInvoiceApproval } from "../../invoicing/invoices";
import { retryOnFailure, type Sql } from "../../platform/database";
import {
	answerFile,
	type Call,
	cutPage,
	digestHeaders,
	idFrom,
	json,
	PRIVATE_NO_STORE,
	readPageQuery,
	tenantOf,
	UNCHANGING,
	XML_TYPE,
} from "../../platform/operation";
import { Problem } from "../../platform/problem";
import type { ApprovalSummary, FindApprovals } from "../reception";
import { type ApprovalRow, toApprovalRecord } from "./approval";
import type { ApprovalDeps } from "./deps";
import { findApproval, findApprovals, findByInvoice, findByReceivedMany, findDocument } from "./store";

export async function getApproval({ sql }: Pick<ApprovalDeps, "sql">, call: Call): Promise<Response> {
	return json(200, toApprovalRecord(await findOwnApproval(sql, call)), PRIVATE_NO_STORE);
}

export async function listApprovals({ sql }: Pick<ApprovalDeps, "sql">, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const { delivery, ...filter } = query;
	const asked = { ...filter, isUndelivered: delivery !== undefined };
	const rows = await retryOnFailure(() => findApprovals(sql, tenantOf(call), asked, limit));
	const { page, place } = cutPage(rows, limit, ({ id }) => id);
	return json(200, { items: page.map(toApprovalRecord), ...place }, PRIVATE_NO_STORE);
}

export async function getApprovalXml({ sql }: Pick<ApprovalDeps, "sql">, call: Call): Promise<Response> {
	const row = await findOwnApproval(sql, call);
	const document = await retryOnFailure(() => findDocument(sql, row.id));
	if (!document) {
		throw new Problem("not-found", { detail: "The approval is not signed yet.", headers: { "retry-after": "2" } });
	}
	const { bytes, sha256 } = document;
	const name = `${row.buyerRnc}${row.encf}.xml`;
	const headers = { ...digestHeaders(sha256), ...UNCHANGING };
	return answerFile(call, { name, mediaType: XML_TYPE, headers }, () => bytes);
}

/** Throws: not-found, equally for another tenant's id, an unknown one and an invalid one. */
export async function findOwnApproval(sql: Sql, call: Call): Promise<ApprovalRow> {
	const id = idFrom(call);
	const row = await retryOnFailure(() => findApproval(sql, tenantOf(call), id));
	if (!row) throw new Problem("not-found");
	return row;
}

/** The buyer's decision on an invoice. */
export function createFindApproval(sql: Sql): FindInvoiceApproval {
	return async (tenantId, docId) => {
		const row = await findByInvoice(sql, tenantId, docId);
		if (!row) return undefined;
		const { id: approvalId, decision, reason, decidedAt, createdAt } = row;
		return { approvalId, decision, reason, decidedAt: decidedAt.toISOString(), receivedAt: createdAt.toISOString() };
	};
}

/** The company's own decisions on received documents. */
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
