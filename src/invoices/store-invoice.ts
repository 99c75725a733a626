/**
 * Stores a new invoice once.
 *
 * What makes a repeat harmless, in the order in which the rows are written: the idempotency key (24 hours), the
 * `client_request_id` (for ever), the e-NCF (until the authority gives it back). All three are unique keys of the database, so
 * a race between processes is settled there; what is read before signing only saves the work. The same order in every
 * transaction keeps two of them from waiting for each other in a circle.
 */
import { isConnectionFailure, isRolledBackRace, type Sql, violatedConstraint } from "../database";
import { saveAnswer } from "../idempotency";
import { append } from "../outbox";
import { faultPoint } from "../telemetry";
import { findEarlier, type Repeat } from "./find-earlier";
import type { NewInvoice } from "./invoice-row";
import type { IssueRequest } from "./issue-request";
import { findInvoiceById, insertInvoice } from "./store";

const STORE_ATTEMPTS = 3;

/** The one write: key, invoice, signed bytes and message, or nothing. Throws: client-request-id-conflict, encf-already-used. */
export async function storeInvoice(sql: Sql, request: IssueRequest, row: NewInvoice): Promise<Repeat | "stored"> {
	for (let attempt = 1; ; attempt++) {
		try {
			return await storeOnce(sql, request, row);
		} catch (error) {
			const constraint = violatedConstraint(error);
			if (constraint === "invoices_client_request_id" || constraint === "invoices_encf") {
				const earlier = await findEarlier(sql, request);
				if (earlier) return earlier;
			}
			// The connection may have failed after the commit: if the document is there, it was this very transaction.
			if (isConnectionFailure(error) && (await isStored(sql, row.docId))) return "stored";
			const isWorthRepeating = isConnectionFailure(error) || isRolledBackRace(error) || constraint !== undefined;
			if (attempt >= STORE_ATTEMPTS || !isWorthRepeating) throw error;
		}
	}
}

async function isStored(sql: Sql, docId: string): Promise<boolean> {
	return (await findInvoiceById(sql, docId)) !== undefined;
}

async function storeOnce(
	sql: Sql,
	request: IssueRequest,
	row: NewInvoice,
): Promise<{ kind: "repeat-of-key" } | "stored"> {
	return sql.begin(async (tx) => {
		faultPoint("before-key");
		const isFirst = await saveAnswer(tx, request.place, {
			rawSha256: request.rawSha256,
			payloadSha256: request.payloadSha256,
			answer: row.acknowledgement,
			headers: { location: `/v1/invoices/${row.docId}` },
			docId: row.docId,
		});
		if (!isFirst) return { kind: "repeat-of-key" as const };
		await insertInvoice(tx, row);
		await append(tx, { kind: "invoice.submit", tenantId: row.tenantId, subject: row.docId });
		faultPoint("before-commit");
		return "stored" as const;
	});
}
