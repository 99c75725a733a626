/**
 * The currency shown beside the pesos, and every amount in both. The amounts of a request are in pesos or in that currency (`amounts_in`); those of the
 * other are computed here.
 *
 *     pesos        each foreign amount is the peso amount divided by the rate
 *     document     each amount of a line, an adjustment or a tax is the amount as sent times the rate. Bases are the sums of the
 *                  peso lines, ITBIS is the rate of the peso base, and the total is their sum, as the authority adds them up
 *
 * Gap: the rate of a specific tax, an amount in pesos by law, is stated as sent.
 */
import { type Message, msg } from "../../platform/problem";
import { Decimal } from "../../platform/values";
import { ITBIS, toFormatCurrency } from "./codes";
import { type Findings, fault, fitDecimal, isPrintable, warn } from "./findings";
import type { EcfInvoice, EcfLine } from "./invoice-request";
import type { PlannedNonBillableLine } from "./plan-balance";
import { baseOfLine, type LineAmounts, type PlannedLine } from "./plan-lines";
import { type PlannedAmounts, type PlannedTotals, sumWithheld } from "./plan-totals";
import { shareOut } from "./tax-draft";

/** All amounts in one currency, with the items that are not billed. */
type AllAmounts = PlannedAmounts & { readonly nonBillableLines: readonly PlannedNonBillableLine[] };

/** The currency shown beside the pesos. */
export type PlannedCurrency = {
	readonly code: string;
	/** Pesos for one unit. */
	readonly rate: string;
	/** The request's amounts are in this currency. */
	readonly isOfRequest: boolean;
	/** All amounts in this currency. */
	readonly amounts: AllAmounts;
};

const RATE_LIMIT = Decimal.of("1000");
const ONE = Decimal.of("1");
const CENT = Decimal.of("0.01");
const NO_EXCISE = Decimal.zero;

/** The amounts in pesos, and in another currency if the request names one. */
export function planCurrency(
	findings: Findings,
	invoice: EcfInvoice,
	amounts: AllAmounts,
): { readonly pesos: AllAmounts; readonly otherCurrency?: PlannedCurrency } {
	const currency = readCurrency(findings, invoice);
	if (!currency) return { pesos: amounts };
	const { code, rate } = currency;
	const isOfRequest = invoice.amounts_in === "document";
	const computed = isOfRequest ? toPesos(findings, invoice, amounts, rate) : toForeign(amounts, rate);
	checkAmounts(findings, invoice, computed, isOfRequest ? msg`pesos` : code);
	const shown = { code, rate: rate.toFixed(4), isOfRequest };
	return isOfRequest
		? { pesos: computed, otherCurrency: { ...shown, amounts } }
		: { pesos: amounts, otherCurrency: { ...shown, amounts: computed } };
}

function readCurrency(
	findings: Findings,
	invoice: EcfInvoice,
): { readonly code: string; readonly rate: Decimal } | undefined {
	if (invoice.currency === undefined || invoice.currency === "DOP") {
		// A rate of 1 loses nothing.
		if (invoice.exchange_rate !== undefined && Decimal.of(invoice.exchange_rate).compare(ONE) !== 0) {
			warn(findings, "not-in-format", "/exchange_rate", msg`Pesos need no exchange rate, so it is left out.`);
		}
		return undefined;
	}
	const code = toFormatCurrency(invoice.currency);
	if (!code) {
		fault(findings, "currency-not-supported", "/currency", msg`The authority's currency table does not have it.`);
		return undefined;
	}
	if (invoice.exchange_rate === undefined) {
		fault(findings, "exchange-rate-required", "/exchange_rate", msg`Send the pesos for one ${invoice.currency}.`);
		return undefined;
	}
	const rate = fitDecimal(findings, invoice.exchange_rate, "TipoCambio", "/exchange_rate");
	if (rate.isZero() || rate.compare(RATE_LIMIT) >= 0) {
		fault(
			findings,
			"exchange-rate-out-of-range",
			"/exchange_rate",
			msg`Must be above 0 and below 1000, with 4 decimals.`,
		);
		return undefined;
	}
	if (invoice.amounts_in === undefined) {
		findings.warnings.push({
			code: "currency-amounts-in-pesos",
			pointer: "/amounts_in",
			detail: `Amounts are taken as pesos. Send amounts_in: "document" if they are in ${invoice.currency}, otherwise "DOP".`,
			detailEs: `Los montos se toman en pesos. Envíe amounts_in: "document" si están en ${invoice.currency}; si no, "DOP".`,
		});
	}
	return { code, rate };
}

/** An amount in the other currency, with as many decimals. */
type Convert = (amount: string, decimals?: number) => string;

function toForeign({ lines, nonBillableLines, adjustments, totals }: AllAmounts, rate: Decimal): AllAmounts {
	const convert: Convert = (pesos, decimals = 2) => Decimal.of(pesos).dividedBy(rate, decimals).toFixed(decimals);
	const maybe = (pesos: string | undefined) => pesos && convert(pesos);
	return {
		lines: lines.map((line) => convertLine(line, convert)),
		nonBillableLines: nonBillableLines.map((line) => convertLine(line, convert)),
		adjustments: adjustments.map((one) => ({ ...one, amount: convert(one.amount) })),
		totals: {
			...totals,
			groups: totals.groups.map(({ indicator, base, itbis }) => ({
				indicator,
				base: convert(base),
				itbis: convert(itbis),
			})),
			taxedBase: maybe(totals.taxedBase),
			exemptBase: maybe(totals.exemptBase),
			itbis: maybe(totals.itbis),
			additionalTaxes: totals.additionalTaxes.map((tax) => ({ ...tax, amount: convert(tax.amount) })),
			additionalTotal: maybe(totals.additionalTotal),
			total: convert(totals.total),
		},
	};
}

function toPesos(findings: Findings, invoice: EcfInvoice, sent: AllAmounts, rate: Decimal): AllAmounts {
	const convert: Convert = (amount, decimals = 2) => {
		const pesos = Decimal.of(amount).times(rate).rounded(decimals);
		return decimals > 2 ? pesos.toShortest(2) : pesos.toFixed(decimals);
	};
	const lines = sent.lines.map((line, at) => convertLine(asSent(line, invoice.lines[at]), convert));
	const adjustments = sent.adjustments.map((one) => ({ ...one, amount: convert(one.amount) }));
	const additionalTaxes = sent.totals.additionalTaxes.map((tax) => ({ ...tax, amount: convert(tax.amount) }));
	const tolerance = CENT.times(Decimal.of(String(lines.length)));
	const groups = sent.totals.groups.map((group) => {
		const { indicator } = group;
		const base = sumBase({ lines, adjustments }, indicator);
		const factor = ITBIS[indicator];
		const exciseIn = (taxes: PlannedTotals["additionalTaxes"]) => (indicator === 1 ? sumExcise(taxes) : NO_EXCISE);
		const expected = Decimal.of(group.base).plus(exciseIn(sent.totals.additionalTaxes)).times(factor);
		const isExplained = Decimal.of(group.itbis).minus(expected).abs().compare(tolerance) <= 0;
		// A tax that does not follow from its base stays the request's own.
		const itbis = isExplained
			? base.plus(exciseIn(additionalTaxes)).times(factor).rounded(2)
			: Decimal.of(group.itbis).times(rate).rounded(2);
		return { indicator, base, itbis };
	});
	const taxed = groups.filter(({ indicator }) => indicator !== 4);
	const taxedBase = Decimal.sum(taxed.map(({ base }) => base));
	const itbis = Decimal.sum(taxed.map((group) => group.itbis));
	const exemptBase = groups.find(({ indicator }) => indicator === 4)?.base;
	const additionalTotal = Decimal.sum(additionalTaxes.map(({ amount }) => Decimal.of(amount)));
	const total = Decimal.sum([taxedBase, exemptBase ?? Decimal.zero, itbis, additionalTotal]);
	return {
		lines,
		nonBillableLines: sent.nonBillableLines.map((line) => convertLine(line, convert)),
		adjustments,
		totals: {
			groups: groups.map((group) => ({ ...group, base: group.base.toFixed(2), itbis: group.itbis.toFixed(2) })),
			...(taxed.length === 0 ? {} : { taxedBase: taxedBase.toFixed(2), itbis: itbis.toFixed(2) }),
			exemptBase: exemptBase?.toFixed(2),
			additionalTaxes,
			additionalTotal: additionalTotal.isZero() ? undefined : additionalTotal.toFixed(2),
			total: total.toFixed(2),
			withheld: sumWithheld(findings, lines),
		},
	};
}

/** The line with all decimals of the request: at a high rate the fourth decimal of a price matters. */
function asSent(line: PlannedLine, sent: EcfLine | undefined): PlannedLine {
	const { unitPrice, amount, gross } = line;
	return {
		...line,
		unitPrice: sent?.unit_price ?? unitPrice,
		amount: sent?.subtotal ?? amount,
		...(gross && {
			gross: {
				...gross,
				unitPrice: sent?.gross_unit_price ?? gross.unitPrice,
				amount: sent?.gross_subtotal ?? gross.amount,
			},
		}),
	};
}

/** A discount of everything may exceed the lines by rounding. */
function sumBase(
	{ lines, adjustments }: Pick<PlannedAmounts, "lines" | "adjustments">,
	indicator: PlannedLine["indicator"],
): Decimal {
	const base = Decimal.sum([
		...lines.filter((line) => line.indicator === indicator).map(baseOfLine),
		...adjustments
			.filter((one) => one.indicator === indicator)
			.map(({ kind, amount }) => (kind === "discount" ? Decimal.of(amount).negated() : Decimal.of(amount))),
	]).rounded(2);
	return base.isNegative() ? Decimal.zero : base;
}

function sumExcise(taxes: PlannedTotals["additionalTaxes"]): Decimal {
	return Decimal.sum(taxes.filter(({ kind }) => kind !== "other").map(({ amount }) => Decimal.of(amount)));
}

function convertLine<T extends PlannedLine | PlannedNonBillableLine>(line: T, convert: Convert): T {
	const { gross, withholding, excise } = line;
	return {
		...line,
		...convertAmounts(line, convert),
		...(gross ? { gross: convertAmounts(gross, convert) } : {}),
		...(withholding ? { withholding: { itbis: convert(withholding.itbis), isr: convert(withholding.isr) } } : {}),
		...(excise?.retailPrice ? { excise: { ...excise, retailPrice: convert(excise.retailPrice) } } : {}),
	};
}

function convertAmounts({ unitPrice, discount, surcharge, amount }: LineAmounts, convert: Convert): LineAmounts {
	return {
		unitPrice: convert(unitPrice, 4),
		discount: discount && convert(discount),
		surcharge: surcharge && convert(surcharge),
		amount: convert(amount),
	};
}

/** Amounts paid in the request's currency, in pesos. If they make up the total, so do their pesos. */
export function toPaidPesos(
	paid: readonly Decimal[],
	{ totals }: PlannedAmounts,
	currency: PlannedCurrency | undefined,
): Decimal[] {
	if (!currency?.isOfRequest) return [...paid];
	const isWhole = Decimal.sum(paid).equals(Decimal.of(currency.amounts.totals.total));
	if (isWhole) return shareOut(Decimal.of(totals.total), paid);
	const rate = Decimal.of(currency.rate);
	return paid.map((amount) => amount.times(rate).rounded(2));
}

/** Bases and taxes are parts of the total, so they fit if it does. */
function checkAmounts(findings: Findings, invoice: EcfInvoice, computed: AllAmounts, name: string | Message): void {
	const check = (amount: string | undefined, pointer: string) => {
		if (amount === undefined || isPrintable(Decimal.of(amount))) return;
		fault(findings, "amount-too-large", pointer, msg`Has more than 16 integer digits in ${name}.`);
	};
	for (const [index, { gross, ...net }] of computed.lines.entries()) {
		const at = `/lines/${index}`;
		const { unitPrice, discount, surcharge, amount } = gross ?? net;
		check(unitPrice, `${at}/${gross ? "gross_unit_price" : "unit_price"}`);
		check(discount, `${at}/discount`);
		check(surcharge, `${at}/surcharge`);
		check(amount, `${at}/${gross ? "gross_subtotal" : "subtotal"}`);
	}
	for (const [index, { unitPrice, amount }] of computed.nonBillableLines.entries()) {
		check(unitPrice, `/non_billable_lines/${index}/unit_price`);
		check(amount, `/non_billable_lines/${index}/amount`);
	}
	for (const { amount, position } of computed.adjustments) {
		const member = invoice.adjustments?.[position]?.amount === undefined ? "percent" : "amount";
		check(amount, `/adjustments/${position}/${member}`);
	}
	check(computed.totals.total, "/totals/grand_total");
}
