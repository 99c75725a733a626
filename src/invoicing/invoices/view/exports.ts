/** What exports need of invoices: how they are chosen, their lines of a table, and their files. */
import { Type } from "@sinclair/typebox";
import type { DocumentChoice, InvoiceFiles } from "../../../archive";
import { runOwnChecks } from "../../../platform/operation";
import { csvLine, textCell, toLocalIsoDate } from "../../../platform/values";
import { findSignedEcf } from "../model/file-store";
import { xmlNameOf } from "../model/invoice-row";
import { findWholeInvoice } from "../model/store";
import { FILTER_PARAMETERS, toFilter } from "./filter";
import { findInvoices, type ListedInvoice } from "./list-store";
import type { InvoiceDeps } from "./own-invoice";
import { gatherPrintJob } from "./print-job";
import { toListItem } from "./record";

export const INVOICE_CHOICE: DocumentChoice = {
	filter: Type.Object(
		Object.fromEntries(
			FILTER_PARAMETERS.map(({ name, schema, description }) => [name, Type.Optional({ ...schema, description })]),
		),
		{
			additionalProperties: false,
		},
	),
	check: (filter, at) => runOwnChecks(FILTER_PARAMETERS, filter, at),
	find: async (tx, tenantId, wanted, max) => {
		const filter = "docIds" in wanted ? { docIds: wanted.docIds, withTestSets: true } : toFilter(wanted.filter);
		const rows = await findInvoices(tx, tenantId, filter, max);
		return rows.map(({ docId, receivedAt }) => ({ docId, day: toLocalIsoDate(receivedAt) }));
	},
};

/** Named like the members of requests and answers. */
const COLUMNS = [
	...["docId", "encf", "client_request_id", "type", "status", "code", "issue_date", "customer_rnc", "customer_name"],
	...["subtotal", "tax", "grand_total", "currency", "receivedAt"],
];

export function createInvoiceFiles(
	deps: Pick<InvoiceDeps, "sql" | "readSealed" | "environment" | "authorityStatus" | "printer">,
): InvoiceFiles {
	return {
		head: csvLine(COLUMNS),
		listLines: async (tenantId, docIds) => {
			const rows = await findInvoices(deps.sql, tenantId, { docIds, withTestSets: true }, docIds.length);
			return rows.map((row) => ({ docId: row.docId, line: toLine(row) }));
		},
		readFile: async (tenantId, docId, format) => {
			const row = await findWholeInvoice(deps, { tenantId, docId });
			if (!row) return undefined;
			if (format === "xml") {
				const bytes = await findSignedEcf(deps, row);
				return bytes && { name: xmlNameOf(bytes, row.encf), bytes };
			}
			const bytes = await deps.printer.print(await gatherPrintJob(deps, row), { tenantId });
			return { name: `${row.encf}.pdf`, bytes };
		},
	};
}

function toLine(row: ListedInvoice): string {
	const one = toListItem(row);
	const { customer, totals } = one;
	return csvLine([
		...[one.docId, one.encf, textCell(one.client_request_id), one.type, one.status, textCell(one.code), one.issueDate],
		...[textCell(customer?.rnc ?? null), textCell(customer?.name ?? null)],
		...[totals.subtotal, totals.tax, totals.grand_total, one.currency, one.receivedAt],
	]);
}
