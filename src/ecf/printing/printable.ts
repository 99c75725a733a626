/**
 * A document as it is printed: the values that stand in the signed e-CF, its own texts, and nothing that does not.
 *
 * Amounts and dates are the document's texts; codes are still codes. What is computed for the paper alone (ITBIS of a line, sums of a page) is
 * not here but in `line-tax.ts`.
 */
import type { EcfInvoice, EcfLine } from "../mapping";

/** All texts without which the paper can do are undefined where the document leaves them out. */
export type Printable = {
	/** Two digits: `31`. */
	readonly type: string;
	readonly encf: string;
	/** Last day of the number's sequence; 32 and 34 have none. */
	readonly expiresOn: string | undefined;
	/** A credit note later than 30 days: it gives no ITBIS back. */
	readonly isLateCreditNote: boolean;
	/** Prices and values of lines are with ITBIS. */
	readonly pricesIncludeTax: boolean;
	readonly issueDate: string;
	readonly issuer: {
		readonly rnc: string;
		readonly name: string;
		readonly tradeName: string | undefined;
		readonly branch: string | undefined;
		readonly street: string;
		readonly municipality: string | undefined;
		readonly province: string | undefined;
		readonly phones: readonly string[];
		readonly email: string | undefined;
		readonly website: string | undefined;
		readonly activity: string | undefined;
		readonly seller: string | undefined;
		readonly internalOrder: string | undefined;
		readonly remarks: string | undefined;
	};
	/** Of a purchase (41) this is who sold. */
	readonly buyer:
		| {
				readonly rnc: string | undefined;
				readonly foreignId: string | undefined;
				readonly name: string | undefined;
				readonly street: string | undefined;
				readonly municipality: string | undefined;
				readonly province: string | undefined;
				readonly orderNumber: string | undefined;
		  }
		| undefined;
	readonly payment: {
		readonly terms: string | undefined;
		readonly dueDate: string | undefined;
		readonly forms: readonly { readonly method: string; readonly amount: string }[];
	};
	/** What a note modifies. */
	readonly reference:
		| {
				readonly encf: string;
				readonly issueDate: string | undefined;
				readonly code: string;
				readonly reason: string | undefined;
				readonly otherRnc: string | undefined;
		  }
		| undefined;
	readonly lines: readonly PrintableLine[];
	readonly adjustments: readonly {
		readonly isDiscount: boolean;
		readonly description: string | undefined;
		readonly percent: string | undefined;
		readonly amount: string;
	}[];
	readonly totals: PrintableTotals;
	/** Another currency beside the peso. */
	readonly currency: { readonly code: string; readonly rate: string; readonly total: string | undefined } | undefined;
	/** First six characters of the signature's value. */
	readonly securityCode: string;
	/** `dd-MM-yyyy HH:mm:ss`, the authority's wall clock. */
	readonly signedAt: string;
};

export type PrintableLine = {
	readonly number: string;
	readonly description: string;
	readonly codes: readonly string[];
	/** 0 not billed, 1 to 3 taxed at 18, 16 and 0 %, 4 exempt. */
	readonly indicator: string;
	readonly quantity: string;
	readonly unit: string | undefined;
	readonly unitPrice: string;
	readonly discount: string | undefined;
	readonly surcharge: string | undefined;
	readonly amount: string;
	/** Codes of taxes besides ITBIS; the document has their amounts in its totals alone. */
	readonly taxes: readonly string[];
	readonly alcoholDegrees: string | undefined;
	readonly retailPrice: string | undefined;
};

export type PrintableTotals = {
	readonly taxed: string | undefined;
	/** By rate, those that the document has. */
	readonly rates: readonly {
		readonly percent: string;
		readonly base: string | undefined;
		readonly itbis: string | undefined;
	}[];
	readonly exempt: string | undefined;
	readonly itbis: string | undefined;
	readonly taxes: readonly {
		readonly code: string;
		readonly percent: string | undefined;
		readonly kind: "specific" | "ad-valorem" | "other";
		readonly amount: string;
	}[];
	readonly total: string;
	readonly notBilled: string | undefined;
	readonly previousBalance: string | undefined;
	readonly paidInAdvance: string | undefined;
	readonly payable: string | undefined;
	readonly withheldItbis: string | undefined;
	readonly withheldIncomeTax: string | undefined;
};

/**
 * The part of the printed document that shows each member of a request; null if none does. A member that is missing here does not compile.
 * Printing itself reads the signed bytes; a test compares both.
 */
export const PRINTED_MEMBERS = {
	type: "type",
	encf: "encf",
	client_request_id: null,
	company: "issuer",
	customer: "buyer",
	lines: "lines",
	totals: "totals",
	issue_date: "issueDate",
	due_date: "payment",
	currency: "currency",
	exchange_rate: "currency",
	income_type: null,
	payment: "payment",
	reference: "reference",
	adjustments: "adjustments",
	branch: "issuer",
	pos: "issuer",
	seller: "issuer",
	order_number: "buyer",
	notes: null,
	emails: null,
	metadata: null,
} as const satisfies Record<keyof EcfInvoice, keyof Printable | null>;

/** The same for a line. What is withheld is printed with the totals. */
export const PRINTED_LINE_MEMBERS = {
	line_number: "number",
	description: "description",
	quantity: "quantity",
	unit_price: "unitPrice",
	subtotal: "amount",
	tax_rate: "indicator",
	kind: null,
	unit: "unit",
	item_code: "codes",
	discount: "discount",
	surcharge: "surcharge",
	withholding: null,
	additional_taxes: "taxes",
} as const satisfies Record<keyof EcfLine, keyof PrintableLine | null>;
