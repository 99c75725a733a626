/**
 * Lists a tenant's invoices, by number, own id, type, status, day and buyer.
 *
 * Gap: documents of certification test sets are invoices that nobody has bought; the list leaves them out unless it is asked for them.
 */
import { Type } from "@sinclair/typebox";
import { retryOnFailure, type Sql } from "../database";
import { type Call, json, NEEDS_BOTH, type Operation, type Parameter, readQuery, tenantOf } from "../operation";
import { type Fault, Problem } from "../problem";
import { ECF_TYPES } from "../signing";
import { isId, isIsoDate, parseTaxpayerDocument } from "../values";
import { NOT_KEPT, TAG } from "./own-invoice";
import { InvoiceStatus, toStatus } from "./status";
import { findInvoices } from "./store";

export type ListDeps = { readonly sql: Sql };

const query = (name: string, description: string, pattern?: string): Parameter => ({
	name,
	in: "query",
	required: false,
	description,
	schema: Type.String({ maxLength: 64, ...(pattern ? { pattern } : {}) }),
});

export function listInvoicesOperation(deps: ListDeps): Operation {
	return {
		id: "listInvoices",
		method: "GET",
		path: "/v1/invoices",
		tag: TAG,
		summary: "List invoices, newest first",
		credentials: NEEDS_BOTH,
		scope: "invoices:read",
		parameters: [
			query("encf", "Exact number.", "^E[0-9]{10,12}$"),
			query("client_request_id", "Exact id."),
			query("type", "e-CF type.", `^(${ECF_TYPES.join("|")})$`),
			query("status", "Status.", "^(pending|accepted|rejected|failed)$"),
			query("from", "First day of receipt, YYYY-MM-DD (UTC-4)."),
			query("to", "Last day of receipt, YYYY-MM-DD (UTC-4)."),
			query("customer_rnc", "The buyer's RNC."),
			query(
				"test_sets",
				"`include`: the documents of certification test sets too; left out they are not shown.",
				"^(include|exclude)$",
			),
			query("after", "`next` of the page before."),
			query("limit", "1 to 100, default 25.", "^([1-9][0-9]?|100)$"),
		],
		answers: {
			200: {
				description: "A page of invoices.",
				schema: Type.Object({
					items: Type.Array(InvoiceStatus),
					count: Type.Integer(),
					partial: Type.Boolean(),
					next: Type.Union([Type.String(), Type.Null()]),
				}),
			},
		},
		problems: ["validation-error"],
		handle: (call) => listInvoices(deps, call),
	};
}

async function listInvoices(deps: ListDeps, call: Call): Promise<Response> {
	const {
		limit = "25",
		after,
		from,
		to,
		encf,
		type,
		status,
		client_request_id,
		customer_rnc,
		test_sets,
	} = readQuery(call);
	const faults: Fault[] = [];
	const fault = (name: string, code: string, detail: string) =>
		faults.push({ pointer: `#/query/${name}`, code, detail });
	if (after !== undefined && !isId(after)) fault("after", "invalid-cursor", "Is not a cursor.");
	if (from !== undefined && !isIsoDate(from)) fault("from", "invalid-date", "Send YYYY-MM-DD.");
	if (to !== undefined && !isIsoDate(to)) fault("to", "invalid-date", "Send YYYY-MM-DD.");
	const customer = customer_rnc === undefined ? undefined : parseTaxpayerDocument(customer_rnc);
	if (customer_rnc !== undefined && !customer) fault("customer_rnc", "invalid-rnc", "Send 9 or 11 digits.");
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	const filter = {
		encf,
		clientRequestId: client_request_id,
		type,
		status,
		from,
		to,
		customerRnc: customer?.digits,
		withTestSets: test_sets === "include",
		after,
	};
	const rows = await retryOnFailure(() => findInvoices(deps.sql, tenantOf(call), filter, Number(limit)));
	const page = rows.slice(0, Number(limit));
	const partial = rows.length > page.length;
	const next = partial ? (page[page.length - 1]?.docId ?? null) : null;
	return json(200, { items: page.map(toStatus), count: page.length, partial, next }, NOT_KEPT);
}
