import type { Fault } from "../problem";
import { Decimal } from "../values";
import type { InvoiceRequest } from "./invoice";

/** Largest difference between the sum of the lines and the subtotal, inclusive. Source: the specification, Limits. */
export const TOLERANCE = Decimal.of("0.01");

/** Faults of rule 2 (sum of lines, within the tolerance) and rule 3 (subtotal and tax make the total, exactly). */
export function checkTotals(invoice: Pick<InvoiceRequest, "lines" | "totals">): Fault[] {
	const faults: Fault[] = [];
	const subtotal = Decimal.of(invoice.totals.subtotal);
	const sum = Decimal.sum(invoice.lines.map((line) => Decimal.of(line.subtotal)));
	const difference = sum.minus(subtotal).abs();
	if (difference.compare(TOLERANCE) > 0) {
		faults.push({
			pointer: "/totals/subtotal",
			code: "line-sum",
			detail: `The sum of line subtotals ${sum} differs from totals.subtotal ${subtotal} by ${difference} (tolerance ${TOLERANCE}).`,
			expected: sum.toString(),
			received: invoice.totals.subtotal,
		});
	}
	const total = subtotal.plus(Decimal.of(invoice.totals.tax));
	if (!total.equals(Decimal.of(invoice.totals.grand_total))) {
		faults.push({
			pointer: "/totals/grand_total",
			code: "total-sum",
			detail: `totals.subtotal plus totals.tax is ${total}, not ${invoice.totals.grand_total}.`,
			expected: total.toString(),
			received: invoice.totals.grand_total,
		});
	}
	return faults;
}
