/**
 * A document as it is printed: values of the signed e-CF, in its own texts.
 *
 * Amounts and dates are the document's texts; codes are still codes. `src/ecf/printing/amounts.ts` computes what only the paper shows.
 */
import type { EcfInvoice, EcfLine } from "../mapping";

/** A text is undefined if the document leaves it out and the paper can do without it. */
export type Printable = {
	/** Two digits: `31`. */
	readonly type: string;
	readonly encf: string;
	/** Last day of the number sequence; some types have none. */
	readonly expiresOn: string | undefined;
	/** A credit note after more than 30 days, which gives back no ITBIS. */
	readonly isLateCreditNote: boolean;
	/** Prices and values of lines include ITBIS. */
	readonly pricesIncludeTax: boolean;
	readonly issueDate: string;
	/** First and last day of what is billed. */
	readonly period: { readonly from: string | undefined; readonly to: string | undefined };
	readonly isAllInclusive: boolean;
	readonly isDeferred: boolean;
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
		readonly internalNumber: string | undefined;
		readonly internalOrder: string | undefined;
		readonly salesZone: string | undefined;
		readonly salesRoute: string | undefined;
		readonly remarks: string | undefined;
	};
	/** On a purchase, the seller. */
	readonly buyer:
		| {
				readonly rnc: string | undefined;
				readonly foreignId: string | undefined;
				readonly name: string | undefined;
				readonly street: string | undefined;
				readonly municipality: string | undefined;
				readonly province: string | undefined;
				readonly contact: string | undefined;
				readonly orderNumber: string | undefined;
				readonly orderDate: string | undefined;
				readonly code: string | undefined;
				readonly delivery: readonly string[];
		  }
		| undefined;
	readonly payment: {
		readonly terms: string | undefined;
		readonly dueDate: string | undefined;
		readonly termsText: string | undefined;
		/** Kind, number and bank. */
		readonly account: readonly string[];
		readonly forms: readonly { readonly method: string; readonly amount: string }[];
	};
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
	/** First six characters of the signature value. */
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
	/** Codes of the additional taxes; the document has their amounts only in its totals. */
	readonly taxes: readonly string[];
	readonly alcoholDegrees: string | undefined;
	readonly retailPrice: string | undefined;
	readonly productionDate: string | undefined;
	readonly expiryDate: string | undefined;
};

export type PrintableTotals = {
	readonly taxed: string | undefined;
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
	/** The total with what is not billed. */
	readonly period: string | undefined;
	readonly previousBalance: string | undefined;
	readonly paidInAdvance: string | undefined;
	readonly payable: string | undefined;
	readonly withheldItbis: string | undefined;
	readonly withheldIncomeTax: string | undefined;
};

/**
 * The part of the printed document that shows each member of a request; null if none does. A member that is missing here does not compile. Printing
 * itself reads the signed bytes; a test compares both.
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
	amounts_in: "currency",
	legal_tip: "totals",
	income_type: null,
	payment: "payment",
	reference: "reference",
	adjustments: "adjustments",
	branch: "issuer",
	pos: "issuer",
	seller: "issuer",
	order_number: "buyer",
	order_date: "buyer",
	internal_number: "issuer",
	sales_zone: "issuer",
	sales_route: "issuer",
	delivery: "buyer",
	period: "period",
	all_inclusive: "isAllInclusive",
	deferred: "isDeferred",
	non_billable_lines: "lines",
	advance: "totals",
	prior_balance: "totals",
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
	gross_unit_price: "unitPrice",
	gross_subtotal: "amount",
	tax_rate: "indicator",
	kind: null,
	unit: "unit",
	item_code: "codes",
	discount: "discount",
	surcharge: "surcharge",
	withholding: null,
	additional_taxes: "taxes",
	production_date: "productionDate",
	expiry_date: "expiryDate",
	excise: "alcoholDegrees",
} as const satisfies Record<keyof EcfLine, keyof PrintableLine | null>;
