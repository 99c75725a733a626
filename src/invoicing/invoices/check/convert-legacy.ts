/**
 * Turns the older camelCase body into the canonical request: names, and numbers into decimals. Nothing is guessed, so a number whose digits JSON
 * may have changed on the way is refused, and so is a rate that is none of the canonical ones.
 */

import { ECF_TYPES } from "../../../ecf/signing";
import { type Fault, Problem } from "../../../platform/problem";
import { Decimal } from "../../../platform/values";
import type { InvoiceRequest } from "../model/invoice";
import type { LegacyInvoice } from "./legacy-body";

type Line = InvoiceRequest["lines"][number];

/** A double has at least so many decimal digits that are certainly those that were written. */
const EXACT_DIGITS = 15;
const RATES: readonly string[] = ["18", "16", "0", "exempt"];

/** The issuer is the caller's: the older body named it by `tenantId` only. Throws: unsupported-ecf-type, validation-error. */
export function convertLegacy(legacy: LegacyInvoice, company: InvoiceRequest["company"]): InvoiceRequest {
	const type = String(legacy.ecfType);
	if (!ECF_TYPES.some((one) => one === type)) {
		throw new Problem("unsupported-ecf-type", { detail: `Send one of ${ECF_TYPES.join(", ")} as ecfType.` });
	}
	const faults: Fault[] = [];
	const amount = (value: number | string, pointer: string) => toDecimal(value, pointer, faults);
	const lines = legacy.lines.map((line, i): Line => {
		const at = `/lines/${i}`;
		const quantity = amount(line.qty, `${at}/qty`);
		const price = amount(line.unitPrice, `${at}/unitPrice`);
		const rate = toRate(line.taxRate, `${at}/taxRate`, faults);
		return {
			line_number: i + 1,
			description: line.description,
			quantity,
			unit_price: price,
			subtotal: multiply(quantity, price, at, faults),
			...(rate === undefined ? {} : { tax_rate: rate }),
		};
	});
	const invoice: InvoiceRequest = {
		type,
		encf: legacy.encf,
		company,
		...(legacy.buyer ? { customer: legacy.buyer } : {}),
		lines,
		totals: {
			subtotal: amount(legacy.subtotal, "/subtotal"),
			tax: amount(legacy.tax, "/tax"),
			grand_total: amount(legacy.grandTotal, "/grandTotal"),
		},
		...(legacy.issueDate === undefined ? {} : { issue_date: legacy.issueDate }),
	};
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	return invoice;
}

/** The canonical text of an amount; with a fault it is "0", which nobody gets to see. */
function toDecimal(value: number | string, pointer: string, faults: Fault[]): string {
	const text = String(value);
	if (!Decimal.parse(text)) {
		const detail = "Send at most 16 integer digits and 6 decimals, without sign or exponent.";
		faults.push({ pointer, code: "decimal-form", detail });
		return "0";
	}
	if (typeof value === "number" && text.replace(/\D/g, "").length > EXACT_DIGITS) {
		const detail = `A JSON number holds ${EXACT_DIGITS} digits exactly; send this one as a string.`;
		faults.push({ pointer, code: "decimal-inexact", detail });
		return "0";
	}
	return text;
}

/** The older line had no amount of its own. Amounts have two decimals in the authority's format. */
function multiply(quantity: string, price: string, pointer: string, faults: Fault[]): string {
	const product = Decimal.of(quantity).times(Decimal.of(price)).rounded(2).toFixed(2);
	if (Decimal.parse(product)) return product;
	faults.push({ pointer, code: "decimal-form", detail: "qty × unitPrice has more than 16 integer digits." });
	return "0";
}

function toRate(rate: number | string | undefined, pointer: string, faults: Fault[]): string | undefined {
	if (rate === undefined) return undefined;
	const text = String(rate);
	if (RATES.includes(text)) return text;
	faults.push({ pointer, code: "not-in-list", detail: `Expected one of: ${RATES.join(", ")}.`, allowed: RATES });
	return undefined;
}
