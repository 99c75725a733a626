/**
 * The arithmetic that the specification wants of a request, in exact decimals.
 *
 * Gap: it knows no adjustments. Where a request has some, rule 2 holds as well when `totals.subtotal` counts them, lines less discounts plus surcharges,
 * which is what `totals.tax` is then reckoned on. A subtotal of the lines alone is accepted as ever.
 */
import { type EcfInvoice, listAdjustedSums } from "../../../ecf/mapping";
import { type Fault, joinMessages, msg } from "../../../platform/problem";
import { Decimal } from "../../../platform/values";

/** Largest difference between the sum of the lines and the subtotal, inclusive. Source: the specification, Limits. */
export const TOLERANCE = Decimal.of("0.01");

type Summed = Pick<EcfInvoice, "type" | "lines" | "totals" | "adjustments">;

/** Faults of rule 2 (sum of lines, within the tolerance) and rule 3 (subtotal and tax make the total, exactly). */
export function checkTotals(invoice: Summed): Fault[] {
	const adjusted = listAdjustedSums(invoice);
	return [...checkSum(invoice, adjusted), ...checkTotal(invoice, adjusted)];
}

function checkSum({ lines, totals }: Summed, adjusted: readonly Decimal[]): Fault[] {
	const subtotal = Decimal.of(totals.subtotal);
	const differenceOf = (sum: Decimal) => sum.minus(subtotal).abs();
	const bare = Decimal.sum(lines.map((line) => Decimal.of(line.subtotal)));
	if ([bare, ...adjusted].some((sum) => differenceOf(sum).compare(TOLERANCE) <= 0)) return [];
	const [net] = adjusted;
	const sum = net ?? bare;
	const by = differenceOf(sum).toString();
	const detail = net
		? msg`The sum of line subtotals ${bare.toString()}, with the adjustments ${net.toString()}, differs from totals.subtotal ${subtotal.toString()} by ${by} (tolerance ${TOLERANCE.toString()}).`
		: msg`The sum of line subtotals ${sum.toString()} differs from totals.subtotal ${subtotal.toString()} by ${by} (tolerance ${TOLERANCE.toString()}).`;
	return [
		{
			pointer: "/totals/subtotal",
			code: "line-sum",
			detail,
			expected: sum.toString(),
			received: totals.subtotal,
		},
	];
}

function checkTotal({ totals }: Summed, adjusted: readonly Decimal[]): Fault[] {
	const grandTotal = Decimal.of(totals.grand_total);
	const tax = Decimal.of(totals.tax);
	const total = Decimal.of(totals.subtotal).plus(tax);
	if (total.equals(grandTotal)) return [];
	const net = grandTotal.minus(tax);
	const isNet = adjusted.some((sum) => sum.minus(net).abs().compare(TOLERANCE) <= 0);
	const differs = msg`totals.subtotal plus totals.tax is ${total.toString()}, not ${totals.grand_total}.`;
	const hint = msg`With the adjustments totals.subtotal is ${net.toString()}.`;
	return [
		{
			pointer: "/totals/grand_total",
			code: "total-sum",
			detail: isNet ? joinMessages([differs, hint]) : differs,
			expected: total.toString(),
			received: totals.grand_total,
		},
	];
}

/** The e-NCF: series E, two digits of type, a sequence of ten digits. Source: the authority's e-CF format, field 3. */
const LENGTH = 13;

/** Faults of a well-formed number against its document's type: characters 2–3 and a sequence above zero. */
export function checkEncf(encf: string, type: string): Fault[] {
	const faults: Fault[] = [];
	if (encf.slice(1, 3) !== type) {
		faults.push({ pointer: "/encf", code: "encf-type-mismatch", detail: msg`Characters 2-3 must equal type ${type}.` });
	}
	if (/^0+$/.test(encf.slice(3))) {
		faults.push({ pointer: "/encf", code: "encf-zero", detail: msg`The sequence starts at 1.` });
	}
	return faults;
}

/** True for the length that the authority accepts; older examples have eleven characters. */
export function hasFullLength(encf: string): boolean {
	return encf.length === LENGTH;
}
