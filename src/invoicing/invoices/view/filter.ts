/** The filter of the list of invoices, as callers give it. */
import { Type } from "@sinclair/typebox";
import { ECF_TYPES } from "../../../ecf/mapping";
import {
	dayParameters,
	oneOf,
	type Parameter,
	type QueryValues,
	queryParameter,
	taxpayerParameter,
	textOf,
} from "../../../platform/operation";
import { msg } from "../../../platform/problem";
import { Decimal, parseTaxpayerDocument } from "../../../platform/values";
import type { InvoiceFilter } from "./list-store";

/** Up to sixteen digits before the point, as in requests. */
const AMOUNT = textOf("^[0-9]{1,16}([.][0-9]{1,2})?$", msg`Send an amount such as 1180.00.`);
const SEARCH = Type.String({
	maxLength: 150,
	pattern: "^\\s*\\S.+\\S\\s*$",
	faultDetail: msg`Send at least 3 characters.`,
});

export const FILTER_PARAMETERS: readonly Parameter[] = [
	queryParameter("encf", "Exact number.", textOf("^E[0-9]{10,12}$", msg`Send E and 10 to 12 digits.`)),
	queryParameter("client_request_id", "Exact id."),
	queryParameter("type", "e-CF type.", oneOf(...ECF_TYPES)),
	queryParameter("status", "Status.", oneOf("pending", "accepted", "rejected", "failed")),
	queryParameter("code", "The authority's code.", textOf("^[0-9A-Za-z_-]{1,16}$", msg`Send a code, for example 614.`)),
	queryParameter(
		"date",
		"Whether `from` and `to` are days of receipt or issue dates. `issued` also lists by issue date. Default: received.",
		oneOf("received", "issued"),
	),
	...dayParameters("First day, YYYY-MM-DD (UTC-4).", "Last day, YYYY-MM-DD (UTC-4)."),
	taxpayerParameter("customer_rnc", "The buyer's RNC."),
	queryParameter(
		"modifies",
		"Exact number of a document of the company; lists its notes.",
		textOf("^E[0-9]{10,12}$", msg`Send E and 10 to 12 digits.`),
	),
	queryParameter("amount_from", "Least total, in pesos.", AMOUNT, (from, { amount_to: to }) =>
		to !== undefined && Decimal.of(to).compare(Decimal.of(from)) < 0
			? { code: "after-end", detail: msg`Is above \`amount_to\`.` }
			: undefined,
	),
	queryParameter("amount_to", "Greatest total, in pesos.", AMOUNT),
	queryParameter(
		"q",
		"The beginning of the number, of `client_request_id`, or of the buyer's RNC or name, at least 3 characters. Names are found in any case and " +
			"without accents.",
		SEARCH,
	),
	queryParameter(
		"test_sets",
		"`include` also lists the documents of certification test sets. Default: they are not listed.",
		oneOf("include", "exclude"),
	),
];

/** The values fit the parameters. */
export function toFilter(query: QueryValues): InvoiceFilter {
	const { from, to, encf, type, status, code, date, q, client_request_id, customer_rnc, modifies, test_sets } = query;
	return {
		...{ encf, type, status, code, from, to, q, modifies },
		date: date === "issued" ? "issued" : "received",
		...{ amountFrom: query.amount_from, amountTo: query.amount_to },
		clientRequestId: client_request_id,
		customerRnc: customer_rnc && parseTaxpayerDocument(customer_rnc)?.digits,
		withTestSets: test_sets === "include",
	};
}
