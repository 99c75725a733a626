/**
 * What a signed e-CF is made from. Plain data: it crosses to the thread that signs.
 *
 * The invoice is the canonical request after validation: snake_case, decimals as text in their wire form, dates `YYYY-MM-DD`.
 * Members that the e-CF has no use for may be there and are not looked at.
 */

export type EcfInput = {
	readonly invoice: EcfInvoice;
	readonly issuer: EcfIssuer;
	/** Last day of the number sequence; types 32 and 34 have none. */
	readonly sequenceExpiresOn?: string;
	/** ISO instant of signing. It also decides the issue date where the request names none. */
	readonly signedAt: string;
	/** Lines are printed with ITBIS in their prices. The invoice is without it all the same; no request can ask for this. */
	readonly pricesIncludeTax?: boolean;
};

/** The company that issues. Its record fills `Emisor`; what the invoice says of `company` does not. */
export type EcfIssuer = {
	readonly rnc: string;
	readonly name: string;
	readonly tradeName?: string;
	readonly address?: {
		readonly street?: string;
		/** Six digits, province and municipality. */
		readonly municipalityCode?: string;
		readonly provinceCode?: string;
	};
	readonly phone?: string;
	readonly email?: string;
	readonly economicActivity?: string;
};

export type EcfInvoice = {
	readonly type: string;
	readonly encf: string;
	readonly company: { readonly rnc: string; readonly name: string };
	/** The buyer; for type 41 the seller, who has no electronic numbers. */
	readonly customer?: { readonly rnc?: string; readonly name?: string };
	readonly lines: readonly EcfLine[];
	readonly totals: { readonly subtotal: string; readonly tax: string; readonly grand_total: string };
	readonly issue_date?: string;
	readonly due_date?: string;
	/** Shown beside the pesos. Absent or `DOP`: pesos alone. */
	readonly currency?: string;
	/** Pesos for one unit of `currency`. */
	readonly exchange_rate?: string;
	readonly income_type?: string;
	readonly payment?: EcfPayment;
	/** The document that a note corrects. */
	readonly reference?: EcfReference;
	readonly adjustments?: readonly EcfAdjustment[];
	readonly branch?: string;
	readonly pos?: string;
	readonly seller?: string;
	readonly order_number?: string;
};

export type EcfLine = {
	readonly line_number: number;
	readonly description: string;
	readonly quantity: string;
	readonly unit_price: string;
	/** Without tax; discount and surcharge are already in it. */
	readonly subtotal: string;
	/** `18`, `16`, `0` or `exempt`; absent: derived from `totals.tax`. */
	readonly tax_rate?: string;
	readonly kind?: string;
	readonly unit?: string;
	readonly item_code?: EcfItemCode | readonly EcfItemCode[];
	readonly discount?: string;
	readonly surcharge?: string;
	readonly withholding?: { readonly itbis: string; readonly isr: string };
	readonly additional_taxes?: readonly EcfAdditionalTax[];
};

export type EcfItemCode = { readonly type: string; readonly code: string };

/** A tax besides ITBIS. Its amount is part of `totals.tax`. */
export type EcfAdditionalTax = { readonly code: string; readonly rate?: string; readonly amount: string };

export type EcfPayment = {
	readonly terms: string;
	readonly forms?: readonly { readonly method: number; readonly amount: string }[];
};

export type EcfReference = {
	readonly encf: string;
	readonly issue_date: string;
	readonly code: number;
	readonly reason?: string;
	readonly customer_rnc?: string;
};

/** A discount or surcharge on the whole document. */
export type EcfAdjustment = {
	readonly kind: string;
	readonly description: string;
	readonly amount?: string;
	readonly percent?: string;
	readonly tax_rate?: string;
};
