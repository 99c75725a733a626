/** A case as an invoice request in the canonical form, as a caller would send it. */
import type { EcfInvoice, EcfLine } from "../../ecf/signing";
import { Decimal } from "../../platform/values";
import { type Basket, encfOf, type TestCase } from "./composition";
import { NICHES, type Niche, type NicheItem } from "./niches";

export type Party = { readonly rnc: string; readonly name: string };

export type Surroundings = {
	readonly cases: readonly TestCase[];
	readonly niche: Niche;
	readonly company: Party;
	/** The other party: who buys, and of purchases who sells. */
	readonly buyer: Party;
	/** Where the set's numbers begin. */
	readonly start: number;
	/** `YYYY-MM-DD`, the issue date of all. */
	readonly today: string;
};

/** Above the authority's limit for consumer invoices also where an item bears no tax. */
const LARGE_FROM = Decimal.of("260000.00");
const CREDIT_DAYS = 30;
const ISR_RATE = Decimal.of("0.10");
const RATES: Readonly<Record<string, Decimal>> = { "18": Decimal.of("0.18"), "16": Decimal.of("0.16") };

export function buildInvoice(one: TestCase, around: Surroundings): EcfInvoice {
	const { company, buyer, today } = around;
	const lines = buildLines(one, NICHES[around.niche]);
	return {
		type: one.type,
		encf: encfOf(one, around.start),
		company,
		customer: buyer,
		lines,
		totals: sumUp(lines),
		issue_date: today,
		...(one.currency ? { currency: one.currency.code, exchange_rate: one.currency.rate } : {}),
		...(one.isOnCredit ? { payment: { terms: "credit" }, due_date: addDays(today, CREDIT_DAYS) } : {}),
		...toReference(one, around),
	};
}

function toReference(
	{ reference, name }: TestCase,
	{ cases, start, today }: Surroundings,
): Pick<EcfInvoice, "reference"> {
	if (!reference) return {};
	const original = cases.find((other) => other.name === reference.to);
	if (!original) throw new Error(`expected the set to hold ${reference.to}, which ${name} refers to`);
	const { code, reason } = reference;
	return { reference: { encf: encfOf(original, start), issue_date: today, code, reason } };
}

/** The quantities differ from case to case, so that no two documents look the same. */
function buildLines({ basket, ordinal }: TestCase, items: readonly NicheItem[]): EcfLine[] {
	const [first, ...others] = items;
	if (!first) throw new Error("expected a niche with items");
	const some = (item: NicheItem, index: number) => toLine(item, String(((ordinal + index) % 4) + 1), index);
	const makers: Readonly<Record<Basket, () => EcfLine[]>> = {
		mixed: () => items.map(some),
		small: () => items.slice(0, 2).map(some),
		exempt: () => items.slice(0, 3).map((item, index) => some({ ...item, taxRate: "exempt" }, index)),
		large: () => [toLine(first, quantityFor(first, ordinal), 0), ...others.slice(0, 1).map((item) => some(item, 1))],
		single: () => [toLine(first, "1", 0)],
		zero: () => [toLine({ ...first, price: "0.00" }, "1", 0)],
		"bought-goods": () => [withhold({ ...toLine({ ...first, kind: "good" }, "5", 0) }, false)],
		"bought-services": () => [withhold(toLine({ ...first, kind: "service" }, "3", 0), true)],
	};
	return makers[basket]();
}

function toLine(item: NicheItem, quantity: string, index: number): EcfLine {
	return {
		line_number: index + 1,
		description: item.description,
		quantity,
		unit_price: item.price,
		subtotal: Decimal.of(quantity).times(Decimal.of(item.price)).toFixed(2),
		tax_rate: item.taxRate,
		kind: item.kind,
		unit: item.unit,
	};
}

/** Source: the withholdings of informal purchases, all ITBIS and a tenth of services; the amounts stand there even when they are nothing. */
function withhold(line: EcfLine, isWithheld: boolean): EcfLine {
	const part = (rate: Decimal) =>
		(isWithheld ? Decimal.of(line.subtotal).times(rate).rounded(2) : Decimal.zero).toFixed(2);
	return { ...line, withholding: { itbis: part(rateOf(line)), isr: part(ISR_RATE) } };
}

function quantityFor({ price }: NicheItem, ordinal: number): string {
	return LARGE_FROM.dividedBy(Decimal.of(price), 0)
		.plus(Decimal.of(String(ordinal)))
		.toFixed(0);
}

function sumUp(lines: readonly EcfLine[]): EcfInvoice["totals"] {
	const subtotal = Decimal.sum(lines.map((line) => Decimal.of(line.subtotal)));
	const byRate = Map.groupBy(lines, (line) => line.tax_rate);
	const tax = Decimal.sum(
		[...byRate.values()].map((group) => {
			const base = Decimal.sum(group.map((line) => Decimal.of(line.subtotal)));
			return base.times(group[0] ? rateOf(group[0]) : Decimal.zero).rounded(2);
		}),
	);
	return { subtotal: subtotal.toFixed(2), tax: tax.toFixed(2), grand_total: subtotal.plus(tax).toFixed(2) };
}

function rateOf({ tax_rate: name }: EcfLine): Decimal {
	return RATES[name ?? ""] ?? Decimal.zero;
}

function addDays(day: string, days: number): string {
	return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}
