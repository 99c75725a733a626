/** What the request's totals count: where the adjustments are in them, what is left for ITBIS, how the lines are taxed then. */
import { Decimal } from "../../platform/values";
import type { EcfType } from "../types";
import {
	type AdjustmentDraft,
	checkPercentages,
	comesTo,
	dependsOnOpen,
	OPEN_RATES,
	readAdjustments,
	type SizedAdjustment,
	sizeAdjustments,
	sumByRate,
	sumOf,
	withOpenAt,
} from "./adjustments";
import type { TaxIndicator } from "./codes";
import { deriveTax, type TaxAnswer, type TaxedLine } from "./derive-tax";
import { type Findings, fault, fitDecimal, warn } from "./findings";
import type { EcfInvoice } from "./invoice-request";
import { exciseOf, type LineDraft } from "./plan-lines";

/** What the totals leave for ITBIS, the adjustments that they count, and how the lines are taxed then. */
export type Reading = {
	readonly itbis: Decimal;
	readonly adjustments: readonly SizedAdjustment[];
	readonly answer: TaxAnswer;
};

/** The same by lines that are rated one way; undefined where the totals do not count the adjustments. */
type Count = (lines: readonly TaxedLine[], adjustments: readonly SizedAdjustment[]) => Counted | undefined;
type Counted = Reading & {
	/** `totals.tax` counts the adjustments, so that more may be taken from it than there is. */
	readonly isInTax: boolean;
};

const CENT = Decimal.of("0.01");

/** Reads the totals in the first of the three ways that fits; see the choices told in `plan-ecf.ts`. */
export function readTotals(
	findings: Findings,
	type: EcfType,
	invoice: EcfInvoice,
	drafts: readonly LineDraft[],
	total: Decimal,
	additionalTotal: Decimal,
): Reading {
	const lines = drafts.map((draft) => {
		const { amount, exact, declared } = draft;
		return { amount, exact, declared, excise: exciseOf(draft) };
	});
	const read = (rated: readonly TaxedLine[], itbis: Decimal, adjustments: readonly SizedAdjustment[]): Reading => {
		const base = total.minus(itbis).minus(additionalTotal);
		return { itbis, adjustments, answer: deriveTax({ lines: rated, adjustments, base, itbis }) };
	};
	// Below zero for as long as discounts may still be in it.
	const itbis = fitDecimal(findings, invoice.totals.tax, "TotalITBIS", "/totals/tax").minus(additionalTotal);
	const adjustments = readAdjustments(findings, type, invoice);
	if (adjustments.length === 0) return read(lines, atLeastZero(findings, itbis, additionalTotal), []);

	const bare = Decimal.sum(invoice.lines.map((line) => Decimal.of(line.subtotal)));
	// What the adjustments come to where the subtotal counts them.
	const wanted = Decimal.of(invoice.totals.subtotal).minus(bare);
	const count: Count = (rated, sized) => {
		const adjusted = sumOf(sized);
		const isNet = adjusted.minus(wanted).abs().compare(wanted.abs()) <= 0;
		if (isNet) return { ...read(rated, itbis.isNegative() ? Decimal.zero : itbis, sized), isInTax: false };
		const withoutAdjustments = itbis.minus(adjusted);
		if (withoutAdjustments.isNegative()) return undefined;
		const carried = read(rated, withoutAdjustments, sized);
		return carried.answer.isExplained && !hasNegativeBase(carried.answer) ? { ...carried, isInTax: true } : undefined;
	};
	const sized = sizeInAnyWay(adjustments, lines, wanted);
	const counted =
		countByRates(lines, adjustments, itbis.isZero() ? [4, 1, 2] : OPEN_RATES, wanted, count) ?? count(lines, sized);
	if (!counted) {
		warnOfLeftOut(findings, sized, bare, total);
		return read(lines, atLeastZero(findings, itbis, additionalTotal), []);
	}
	if (!counted.isInTax) atLeastZero(findings, itbis, additionalTotal);
	const { indicators } = counted.answer;
	const rated = lines.map(({ amount }, index) => ({ amount, declared: indicators[index] ?? 4 }));
	checkPercentages(findings, adjustments, counted.adjustments, sumByRate(rated));
	return counted;
}

/** By the rates that lines name, unless the subtotal holds what comes of a rate for those that name none. */
function sizeInAnyWay(
	adjustments: readonly AdjustmentDraft[],
	lines: readonly TaxedLine[],
	wanted: Decimal,
): SizedAdjustment[] {
	const sums = sumByRate(lines);
	const named = sizeAdjustments(adjustments, sums, wanted);
	if (!dependsOnOpen(adjustments, sums)) return named;
	const others = OPEN_RATES.map((rate) => sizeAdjustments(adjustments, withOpenAt(sums, rate), wanted));
	return [named, ...others].find((sized) => comesTo(sized, wanted)) ?? named;
}

/** Told with all that it takes to have them counted: who does not read it sells without the discount. */
function warnOfLeftOut(findings: Findings, sized: readonly SizedAdjustment[], bare: Decimal, total: Decimal): void {
	const told = sized.map(({ kind, amount }) => `${kind} ${amount.abs().toFixed(2)}`).join(", ");
	const net = bare.plus(sumOf(sized)).rounded(2);
	const remedy = net.isNegative()
		? ""
		: ` To have them counted, send ${net.toFixed(2)} as totals.subtotal, and with it the tax on what is left of each rate.`;
	const detail = `The totals do not hold them (${told}): they stand neither in the e-CF nor in print, and ${total.toFixed(2)} is due as if there were none.${remedy}`;
	warn(findings, "adjustments-not-in-totals", "/adjustments", detail);
}

/**
 * Where an adjustment is a percentage of the lines of one rate, and only some lines name theirs, its amount follows from the rate of
 * the others: the first rate by which all totals come out right. Undefined where none does, or where nothing depends on it.
 */
function countByRates(
	lines: readonly TaxedLine[],
	adjustments: readonly AdjustmentDraft[],
	candidates: readonly TaxIndicator[],
	wanted: Decimal,
	count: Count,
): Counted | undefined {
	if (!dependsOnOpen(adjustments, sumByRate(lines))) return undefined;
	const bare = Decimal.sum(lines.map((line) => line.amount));
	const tolerance = CENT.times(Decimal.of(String(lines.length + 1)));
	for (const candidate of candidates) {
		const rated = lines.map((line) => ({ ...line, declared: line.declared ?? candidate }));
		const counted = count(rated, sizeAdjustments(adjustments, sumByRate(rated), wanted));
		if (!counted?.answer.isExplained || hasNegativeBase(counted.answer)) continue;
		const expected = bare.plus(sumOf(counted.adjustments));
		const bases = Decimal.sum(counted.answer.groups.map(({ base }) => base));
		if (bases.minus(expected).abs().compare(tolerance) <= 0) return counted;
	}
	return undefined;
}

/** What `totals.tax` leaves for ITBIS when nothing but additional taxes is taken from it. */
function atLeastZero(findings: Findings, itbis: Decimal, additionalTotal: Decimal): Decimal {
	if (!itbis.isNegative()) return itbis;
	const detail = `The lines' additional taxes are ${additionalTotal.toFixed(2)} and are part of totals.tax.`;
	fault(findings, "additional-taxes-exceed-tax", "/totals/tax", detail);
	return Decimal.zero;
}

export function hasNegativeBase(answer: TaxAnswer): boolean {
	return answer.groups.some((group) => group.base.isNegative());
}
