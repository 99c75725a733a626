/** Reads the request's totals: whether they include the adjustments, what remains for ITBIS, and how the lines are taxed then. */
import { joinMessages, msg } from "../../platform/problem";
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
import { deriveTax, type TaxAnswer } from "./derive-tax";
import { type Findings, fault, fitDecimal, warn } from "./findings";
import type { EcfInvoice } from "./invoice-request";
import { exciseOf } from "./line-taxes";
import type { LineDraft } from "./plan-lines";
import type { TaxedLine } from "./tax-draft";

/** What remains for ITBIS, the adjustments that the totals include, and how the lines are taxed then. */
export type Reading = {
	readonly itbis: Decimal;
	readonly adjustments: readonly SizedAdjustment[];
	readonly answer: TaxAnswer;
};

/** The same for one way of rating the lines; undefined if the totals do not include the adjustments. */
type Count = (lines: readonly TaxedLine[], adjustments: readonly SizedAdjustment[]) => Counted | undefined;
type Counted = Reading & {
	/** `totals.tax` includes the adjustments, so they may take more from it than there is. */
	readonly isInTax: boolean;
};

const CENT = Decimal.of("0.01");

/** Reads the totals in the first of three ways that fits; see the decisions in `src/ecf/mapping/plan-ecf.ts`. */
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
	// Negative as long as discounts may be in it.
	const itbis = fitDecimal(findings, invoice.totals.tax, "TotalITBIS", "/totals/tax").minus(additionalTotal);
	const adjustments = readAdjustments(findings, type, invoice);
	if (adjustments.length === 0) return read(lines, atLeastZero(findings, itbis, additionalTotal), []);

	const bare = Decimal.sum(invoice.lines.map((line) => Decimal.of(line.subtotal)));
	// The sum of the adjustments if the subtotal includes them.
	const wanted = Decimal.of(invoice.totals.subtotal).minus(bare);
	const count: Count = (rated, sized) => {
		const adjusted = sumOf(sized);
		const isNet = adjusted.minus(wanted).abs().compare(wanted.abs()) <= 0;
		if (isNet) return { ...read(rated, itbis.isNegative() ? Decimal.zero : itbis, sized), isInTax: false };
		const withoutAdjustments = itbis.minus(adjusted);
		if (withoutAdjustments.isNegative()) return undefined;
		const carried = read(rated, withoutAdjustments, sized);
		// Among many lines some assignment gives almost any tax, so only one rate for all of them shows what the tax includes.
		const isMeant = carried.answer.outcome === "uniform" && !hasNegativeBase(carried.answer);
		return isMeant ? { ...carried, isInTax: true } : undefined;
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

/** Uses the declared rates, unless the subtotal matches a rate for the lines that declare none. */
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

/** The warning says how to have them included: a caller who misses it sells without the discount. */
function warnOfLeftOut(findings: Findings, sized: readonly SizedAdjustment[], bare: Decimal, total: Decimal): void {
	const named = sized.map(({ kind, amount }) => {
		const text = amount.abs().toFixed(2);
		return kind === "discount" ? msg`discount ${text}` : msg`surcharge ${text}`;
	});
	const net = bare.plus(sumOf(sized)).rounded(2);
	const left = msg`The totals do not include them (${joinMessages(named, ", ")}). They are left out of the e-CF and of print, and ${total.toFixed(2)} is due.`;
	const remedy = msg`To include them, send ${net.toFixed(2)} as totals.subtotal, with the tax on what remains of each rate.`;
	const detail = net.isNegative() ? left : joinMessages([left, remedy]);
	warn(findings, "adjustments-not-in-totals", "/adjustments", detail);
}

/**
 * If an adjustment is a percentage of the lines of one rate and only some lines declare theirs, its amount depends on the rate of the others. Takes
 * the first rate with which all totals agree; undefined if none does or nothing depends on it.
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
		if (counted?.answer.outcome !== "uniform" || hasNegativeBase(counted.answer)) continue;
		const expected = bare.plus(sumOf(counted.adjustments));
		const bases = Decimal.sum(counted.answer.groups.map(({ base }) => base));
		if (bases.minus(expected).abs().compare(tolerance) <= 0) return counted;
	}
	return undefined;
}

/** What `totals.tax` leaves for ITBIS after the additional taxes. */
function atLeastZero(findings: Findings, itbis: Decimal, additionalTotal: Decimal): Decimal {
	if (!itbis.isNegative()) return itbis;
	const detail = msg`The lines' additional taxes are ${additionalTotal.toFixed(2)} and are part of totals.tax.`;
	fault(findings, "additional-taxes-exceed-tax", "/totals/tax", detail);
	return Decimal.zero;
}

export function hasNegativeBase(answer: TaxAnswer): boolean {
	return answer.groups.some((group) => group.base.isNegative());
}
