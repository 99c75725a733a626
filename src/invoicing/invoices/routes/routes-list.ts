/**
 * Lists a tenant's invoices, by number, own id, type, status, day and buyer.
 *
 * Gap: documents of certification test sets are invoices that nobody has bought; the list leaves them out unless it is asked for them.
 */

import { ECF_TYPES } from "../../../ecf/signing";
import { retryOnFailure, type Sql } from "../../../platform/database";
import {
	type Call,
	cutPage,
	dayParameters,
	json,
	NEEDS_BOTH,
	NOT_KEPT,
	type Operation,
	oneOf,
	pageParameters,
	pageSchema,
	queryParameter,
	readPageQuery,
	taxpayerParameter,
	tenantOf,
	textOf,
} from "../../../platform/operation";
import { parseTaxpayerDocument } from "../../../platform/values";
import { InvoiceStatus, toStatus } from "../model/status";
import { findInvoices } from "../view/list-store";
import { TAG } from "../view/own-invoice";

export type ListDeps = { readonly sql: Sql };

export function listInvoicesOperation(deps: ListDeps): Operation {
	return {
		id: "listInvoices",
		method: "GET",
		path: "/v1/invoices",
		tag: TAG,
		summary: "List invoices, those received last first",
		credentials: NEEDS_BOTH,
		scope: "invoices:read",
		parameters: [
			queryParameter("encf", "Exact number.", textOf("^E[0-9]{10,12}$", "Send E and 10 to 12 digits.")),
			queryParameter("client_request_id", "Exact id."),
			queryParameter("type", "e-CF type.", oneOf(...ECF_TYPES)),
			queryParameter("status", "Status.", oneOf("pending", "accepted", "rejected", "failed")),
			...dayParameters("First day of receipt, YYYY-MM-DD (UTC-4).", "Last day of receipt, YYYY-MM-DD (UTC-4)."),
			taxpayerParameter("customer_rnc", "The buyer's RNC; of a company with very many documents, say days too."),
			queryParameter(
				"test_sets",
				"`include`: the documents of certification test sets too; left out they are not shown.",
				oneOf("include", "exclude"),
			),
			...pageParameters(),
		],
		answers: {
			200: {
				description: "A page of invoices.",
				schema: pageSchema(InvoiceStatus),
			},
		},
		problems: ["validation-error"],
		handle: (call) => listInvoices(deps, call),
	};
}

async function listInvoices(deps: ListDeps, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const { after, from, to, encf, type, status, client_request_id, customer_rnc, test_sets } = query;
	const filter = {
		...{ encf, type, status, from, to, after },
		clientRequestId: client_request_id,
		customerRnc: customer_rnc && parseTaxpayerDocument(customer_rnc)?.digits,
		withTestSets: test_sets === "include",
	};
	const rows = await retryOnFailure(() => findInvoices(deps.sql, tenantOf(call), filter, limit));
	const { page, place } = cutPage(rows, limit, ({ docId }) => docId);
	return json(200, { items: page.map(toStatus), ...place }, NOT_KEPT);
}
