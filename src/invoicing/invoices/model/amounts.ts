/** Amounts of documents as they are stored: in cents of a peso, and as sent where that looks different. */
import type { InvoiceFacts, NewInvoice } from "./invoice-row";

/** The amounts as sent. */
export type ShownAmounts = Pick<InvoiceFacts, "currency" | "subtotal" | "tax" | "grandTotal">;

/** As columns of `documents`; cents as text, because they may exceed the numbers of this language. */
export type AmountColumns = {
	readonly subtotal: string;
	readonly tax: string;
	/** Null if the amounts were sent in pesos with two decimals. */
	readonly shown: ShownAmounts | null;
};

export function toAmountColumns({ sums, facts }: Pick<NewInvoice, "sums" | "facts">): AmountColumns {
	const stored = { subtotal: toCents(sums.subtotal), tax: toCents(sums.tax) };
	const { currency, subtotal, tax, grandTotal } = facts;
	const same = readAmounts({ ...stored, shown: null });
	const isSame =
		currency === same.currency && subtotal === same.subtotal && tax === same.tax && grandTotal === same.grandTotal;
	return { ...stored, shown: isSame ? null : { currency, subtotal, tax, grandTotal } };
}

/** The amounts as sent, and MontoTotal in pesos. */
export function readAmounts({ subtotal, tax, shown }: AmountColumns): ShownAmounts & Pick<InvoiceFacts, "total"> {
	const total = toPesos(String(BigInt(subtotal) + BigInt(tax)));
	if (shown) return { ...shown, total };
	return { currency: "DOP", subtotal: toPesos(subtotal), tax: toPesos(tax), grandTotal: total, total };
}

/** `pesos`: with two decimals. */
function toCents(pesos: string): string {
	return pesos.replace(".", "");
}

/** With two decimals. */
export function toPesos(cents: string): string {
	const [, sign = "", digits = ""] = /^(-?)(\d+)$/.exec(cents) ?? [];
	const padded = digits.padStart(3, "0");
	return `${sign}${padded.slice(0, -2)}.${padded.slice(-2)}`;
}
