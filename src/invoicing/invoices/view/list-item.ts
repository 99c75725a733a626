/** An invoice as the list shows it: its status record, and what a person recognises it by. */
import { type Static, Type } from "@sinclair/typebox";
import { EXAMPLE_INVOICE } from "../../../ecf/mapping";
import { InvoiceStatus, toStatus } from "../model/status";
import type { ListedInvoice } from "./list-store";

const Nullable = Type.Union([Type.String(), Type.Null()]);
const [EXAMPLE_STATUS] = InvoiceStatus.examples as [InvoiceStatus];

export const InvoiceListItem = Type.Object(
	{
		...InvoiceStatus.properties,
		type: Type.String({ description: "e-CF type." }),
		code: Type.Union([Type.String(), Type.Null()], { description: "The authority's code; null before its decision." }),
		issueDate: Type.String({ format: "date", description: "YYYY-MM-DD." }),
		customer: Type.Union([Type.Object({ rnc: Nullable, name: Nullable }), Type.Null()], {
			description: "The buyer; null if the document has none.",
		}),
		totals: Type.Object(
			{ subtotal: Type.String(), tax: Type.String(), grand_total: Type.String() },
			{ description: "As sent." },
		),
		currency: Type.String({ description: "Of `totals`." }),
		receivedAt: Type.String({ format: "date-time", description: "RFC 3339, UTC." }),
	},
	{
		$id: "InvoiceListItem",
		examples: [
			{
				...EXAMPLE_STATUS,
				...{ type: "31", code: "1", issueDate: "2026-11-20", customer: EXAMPLE_INVOICE.customer },
				...{ totals: EXAMPLE_INVOICE.totals, currency: "DOP", receivedAt: "2026-11-20T14:20:00.118Z" },
			},
		],
	},
);
export type InvoiceListItem = Static<typeof InvoiceListItem>;

export function toListItem(row: ListedInvoice): InvoiceListItem {
	const { issueDate, customerRnc: rnc, customerName: name, currency, subtotal, tax, grandTotal } = row.facts;
	const status = toStatus(row);
	return {
		...status,
		type: row.type,
		code: status.authority.code ?? null,
		issueDate,
		customer: rnc === null && name === null ? null : { rnc, name },
		totals: { subtotal, tax, grand_total: grandTotal },
		currency,
		receivedAt: row.receivedAt.toISOString(),
	};
}
