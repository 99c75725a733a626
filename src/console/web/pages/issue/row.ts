/** A line of a document as a row of the grid, and what the types of documents have. */
import type { InvoiceRequest } from "../../api/generated";

export type DocumentType = InvoiceRequest["type"];
type RequestLine = InvoiceRequest["lines"][number];
type TaxRate = NonNullable<RequestLine["tax_rate"]>;
export type Totals = InvoiceRequest["totals"];
/** All of a request but its lines and totals. */
export type Members = { readonly [name: string]: unknown };

type Profile = {
	/** Modifies another document. */
	readonly isNote?: true;
	/** Issued by the buyer, who withholds from the seller. */
	readonly isPurchase?: true;
	/** Carries no ITBIS. */
	readonly isUntaxed?: true;
};

/** What the form has to know; the service has the whole, which a test compares. */
export const TYPES: Readonly<Record<DocumentType, Profile>> = {
	"31": {},
	"32": {},
	"33": { isNote: true },
	"34": { isNote: true },
	"41": { isPurchase: true },
	"44": { isUntaxed: true },
};

/** Of a member that may be missing. */
export const profileOf = (type: unknown): Profile => TYPES[type as DocumentType] ?? {};

export const ratesOf = (type: unknown): readonly TaxRate[] =>
	profileOf(type).isUntaxed ? ["exempt", "0"] : ["18", "16", "0", "exempt"];

/** Members of a line that the grid edits, named as in the request; the withheld ones are those of `withholding`. */
export const CELLS = [
	...(["description", "quantity", "unit_price", "discount", "tax_rate", "kind"] as const),
	...(["withheld_itbis", "withheld_isr"] as const),
] as const;
export type Cell = (typeof CELLS)[number];

export type Row = Readonly<Record<Cell, string>> & {
	readonly id: string;
	/** What the grid does not show: codes, unit, excise. */
	readonly further: Partial<RequestLine>;
	/** The amount as a stored document states it; undefined once the line is changed, and then calculated. */
	readonly stated?: string | undefined;
};

export function newRow(type: unknown): Row {
	return {
		...{ id: crypto.randomUUID(), description: "", quantity: "1", unit_price: "", discount: "", kind: "good" },
		...{ withheld_itbis: "", withheld_isr: "", tax_rate: ratesOf(type)[0] ?? "18", further: {} },
	};
}

export function toRow(line: RequestLine): Row {
	const { line_number: _, description, quantity, unit_price, subtotal, discount, tax_rate, kind, ...others } = line;
	const { withholding, ...further } = others;
	return {
		...{ id: crypto.randomUUID(), description, quantity, unit_price, discount: discount ?? "", kind: kind ?? "good" },
		...{ tax_rate: tax_rate ?? "", withheld_itbis: withholding?.itbis ?? "", withheld_isr: withholding?.isr ?? "" },
		...{ stated: subtotal, further },
	};
}

export const isBlank = ({ description, unit_price }: Row) => description.trim() === "" && unit_price.trim() === "";
