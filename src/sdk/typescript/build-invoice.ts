/** Makes the body of an invoice from quantities and prices, with exact decimals. Amounts are never floating-point numbers. */
import { SelloError } from "./errors";
import type { InvoiceRequest } from "./generated";

type Line = InvoiceRequest["lines"][number];
type Computed =
	| "line_number"
	| "quantity"
	| "unit_price"
	| "subtotal"
	| "tax_rate"
	| "gross_unit_price"
	| "gross_subtotal";

/** A decimal as text, such as "450.00", with at most six decimals; a whole number may be a number. */
export type DecimalInput = string | number;

export type InvoiceLine = Omit<Line, Computed | "discount" | "surcharge" | "additional_taxes"> & {
	quantity: DecimalInput;
	/** Without ITBIS, or with it if `prices` is `gross`. */
	unitPrice: DecimalInput;
	/** Percentage of ITBIS, or `exempt`. Types without ITBIS leave it out. */
	taxRate?: "18" | "16" | "0" | "exempt" | 18 | 16 | 0;
	/** Taken off the line, in the same prices. */
	discount?: DecimalInput;
	/** Added to the line, in the same prices. */
	surcharge?: DecimalInput;
};

export type InvoiceInput = Omit<InvoiceRequest, "encf" | "lines" | "totals" | "adjustments"> & {
	/** Default: `auto`, the next number of your sequences. */
	encf?: string;
	lines: InvoiceLine[];
	/** Whether prices are without ITBIS (`net`, the default) or with it (`gross`), as at a till. */
	prices?: "net" | "gross";
};

/** Numbers are counts of millionths. */
const MILLION = 1_000_000n;
const CENT = 10_000n;

/**
 * The body for `invoices.create`. With net prices the tax of each rate is computed on the sum of its lines. With gross prices the buyer pays
 * exactly the prices, and the base is what they are without tax. Everything is rounded half up. Throws a SelloError for an amount that is no
 * decimal, a line without a rate, and members that change totals in a way that this function does not compute.
 */
export function buildInvoice(input: InvoiceInput): InvoiceRequest {
	const { lines: given, prices = "net", encf = "auto", ...others } = input;
	if ("adjustments" in others) throw new SelloError("buildInvoice computes no adjustments: use discount on the lines.");
	const isGross = prices === "gross";
	const sums = new Map<bigint, bigint>();
	const lines = given.map((line, i): Line => {
		if ("additional_taxes" in line) throw new SelloError("buildInvoice computes no additional taxes.");
		const { description, quantity, unitPrice, taxRate, discount, surcharge, ...further } = line;
		const rate = readRate(input.type, taxRate, i);
		const read = (value: DecimalInput, name: string) => parse(value, `lines[${i}].${name}`);
		const price = read(unitPrice, "unitPrice");
		const less = discount === undefined ? 0n : read(discount, "discount");
		const more = surcharge === undefined ? 0n : read(surcharge, "surcharge");
		const amount = roundTo(read(quantity, "quantity") * price, MILLION * CENT) * CENT - less + more;
		if (amount < 0n) throw new SelloError(`lines[${i}].discount is more than the line.`);
		const paid = roundTo(amount, CENT) * CENT;
		sums.set(rate, (sums.get(rate) ?? 0n) + paid);
		const toNet = (value: bigint) => (isGross ? roundTo(value * 100n, 100n + rate) : value);
		return {
			line_number: i + 1,
			description,
			quantity: String(quantity),
			unit_price: isGross ? write(toNet(price)) : writeGiven(unitPrice),
			subtotal: write(toNet(paid)),
			...(isGross ? { gross_unit_price: writeGiven(unitPrice), gross_subtotal: write(paid) } : {}),
			...(taxRate === undefined ? {} : { tax_rate: String(taxRate) as Line["tax_rate"] }),
			...(discount === undefined ? {} : { discount: write(toNet(less)) }),
			...(surcharge === undefined ? {} : { surcharge: write(toNet(more)) }),
			...further,
		} as Line;
	});
	let subtotal = 0n;
	let tax = input.legal_tip === undefined ? 0n : parse(input.legal_tip, "legal_tip");
	for (const [rate, sum] of sums) {
		const base = isGross ? roundTo(sum * 100n, (100n + rate) * CENT) * CENT : sum;
		subtotal += base;
		tax += isGross ? sum - base : roundTo(base * rate, 100n * CENT) * CENT;
	}
	const totals = { subtotal: write(subtotal), tax: write(tax), grand_total: write(subtotal + tax) };
	return { ...others, encf, lines, totals } as InvoiceRequest;
}

function readRate(type: string, rate: InvoiceLine["taxRate"], i: number): bigint {
	if (rate === undefined) {
		if (type === "44") return 0n;
		throw new SelloError(`lines[${i}].taxRate is missing: 18, 16, 0 or exempt.`);
	}
	if (!/^(18|16|0|exempt)$/.test(String(rate))) throw new SelloError(`lines[${i}].taxRate is 18, 16, 0 or exempt.`);
	return rate === "exempt" ? 0n : BigInt(rate);
}

/** Millionths of a decimal. */
function parse(value: DecimalInput, name: string): bigint {
	const isText = typeof value === "string" || Number.isSafeInteger(value);
	const [, whole = "", fraction = ""] = /^(\d{1,16})(?:\.(\d{1,6}))?$/.exec(isText ? String(value) : "") ?? [];
	if (whole === "")
		throw new SelloError(
			`${name} is ${JSON.stringify(value)}: send a text such as "450.00", with at most six decimals.`,
		);
	return BigInt(whole) * MILLION + BigInt(fraction.padEnd(6, "0"));
}

/** Half up; both are positive. */
const roundTo = (value: bigint, unit: bigint) => (2n * value + unit) / (2n * unit);

/** With two decimals, or as many as it has. */
function write(millionths: bigint): string {
	const text = String(millionths).padStart(7, "0");
	return `${text.slice(0, -6)}.${text.slice(-6).replace(/0{1,4}$/, "")}`;
}

const writeGiven = (value: DecimalInput) => (typeof value === "number" ? `${value}.00` : value);
