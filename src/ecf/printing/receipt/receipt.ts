/**
 * A document on a paper roll: rows one below the other, which PDFs for thermal printers and ESC/POS both print, each in its own way.
 *
 *     head    logo, issuer, what the document is, buyer, payment
 *     lines   description, then "quantity unit x price" at the left and the value at the right, then discount,
 *   surcharge and ITBIS
 *     tail    totals
 *     foot    legends, QR, security code, time of signature
 */
import { printAmount, printSum, taxOf } from "../amounts";
import type { Printable, PrintableLine } from "../printable";
import {
	describeBuyer,
	describeDocument,
	describeIssuer,
	describeLine,
	describePayment,
	describeSignature,
	describeTotals,
	nameLine,
	type Statement,
	unitOf,
} from "../statements";

export type ReceiptRow =
	| {
			readonly kind: "text";
			readonly text: string;
			readonly isCentered?: true;
			readonly isStrong?: true;
			readonly isLarge?: true;
	  }
	| { readonly kind: "pair"; readonly left: string; readonly right: string; readonly isStrong?: true }
	| { readonly kind: "rule" }
	| { readonly kind: "logo" }
	| { readonly kind: "qr" };

export type Receipt = {
	readonly head: readonly ReceiptRow[];
	/** The rows of each line stay together. */
	readonly lines: readonly (readonly ReceiptRow[])[];
	readonly tail: readonly ReceiptRow[];
	readonly foot: readonly ReceiptRow[];
};

const RULE: ReceiptRow = { kind: "rule" };
const centered = (text: string): ReceiptRow => ({ kind: "text", text, isCentered: true });
const heading = (text: string): ReceiptRow => ({ kind: "text", text, isCentered: true, isStrong: true, isLarge: true });

export function toReceipt(
	p: Printable,
	of: { readonly legends: readonly string[]; readonly hasLogo: boolean },
): Receipt {
	const issuer = describeIssuer(p);
	const { title, statements } = describeDocument(p);
	const parties = [...describeBuyer(p), ...describePayment(p)];
	return {
		head: [
			...(of.hasLogo ? [{ kind: "logo" as const }] : []),
			heading(issuer.name),
			...(issuer.legalName === undefined ? [] : [centered(issuer.legalName)]),
			...issuer.statements.map(toCentered),
			RULE,
			{ kind: "text", text: title, isCentered: true, isStrong: true },
			...statements.map(toText),
			...(parties.length > 0 ? [RULE] : []),
			...parties.map(toText),
			RULE,
			{ kind: "pair", left: "Descripción", right: "Valor", isStrong: true },
			RULE,
		],
		lines: p.lines.map((line) => toRows(line, p.pricesIncludeTax)),
		tail: [RULE, ...describeTotals(p).map(toPair), RULE],
		foot: [
			...of.legends.map((text): ReceiptRow => ({ kind: "text", text, isCentered: true, isStrong: true })),
			{ kind: "qr" },
			...describeSignature(p).map(toCentered),
		],
	};
}

function toRows(line: PrintableLine, isIncluded: boolean): ReceiptRow[] {
	const unit = unitOf(line);
	const count = [printAmount(line.quantity), unit, "x", printAmount(line.unitPrice)]
		.filter((part) => part !== "")
		.join(" ");
	const part = (left: string, text: string | undefined, sign = ""): ReceiptRow[] =>
		text === undefined ? [] : [{ kind: "text", text: `  ${left} ${sign}${printAmount(text)}` }];
	return [
		{ kind: "text", text: nameLine(line) },
		...describeLine(line).map((text): ReceiptRow => ({ kind: "text", text: `  ${text}` })),
		{ kind: "pair", left: `  ${count}`, right: printAmount(line.amount) },
		...part("Descuento", line.discount, "-"),
		...part("Recargo", line.surcharge),
		...(line.indicator === "1" || line.indicator === "2"
			? [{ kind: "text" as const, text: `  ITBIS ${printSum(taxOf(line, isIncluded).itbis)}` }]
			: []),
	];
}

const toText = ({ label, value, isStrong }: Statement): ReceiptRow => ({
	kind: "text",
	text: `${label}: ${value}`,
	...(isStrong ? { isStrong } : {}),
});
const toCentered = ({ label, value }: Statement): ReceiptRow => centered(`${label}: ${value}`);
const toPair = ({ label, value, isStrong }: Statement): ReceiptRow => ({
	kind: "pair",
	left: label,
	right: value,
	...(isStrong ? { isStrong } : {}),
});
