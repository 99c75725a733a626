/** What the request's totals count: where the adjustments are in them, what is left for ITBIS, how the lines are taxed then. */
import { Decimal } from "../values";
import { deriveTax, type TaxAnswer, type TaxedLine } from "./derive-tax";
import type { TaxIndicator } from "./ecf-codes";
import type { EcfInvoice } from "./ecf-input";
import type { EcfType } from "./ecf-type";
import { type Findings, fault, warn } from "./findings";
import { fitDecimal } from "./fit";
import {
	type AdjustmentDraft,
	checkPercentages,
	readAdjustments,
	type SizedAdjustment,
	sizeAdjustments,
} from "./plan-adjustments";
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
	const lines = drafts.map((draft) => ({ amount: draft.amount, declared: draft.declared, excise: exciseOf(draft) }));
	const read = (rated: readonly TaxedLine[], itbis: Decimal, adjustments: readonly SizedAdjustment[]): Reading => {
		const base = total.minus(itbis).minus(additionalTotal);
		return { itbis, adjustments, answer: deriveTax({ lines: rated, adjustments, base, itbis }) };
	};
	// Below zero for as long as discounts may still be in it.
	const itbis = fitDecimal(findings, invoice.totals.tax, "TotalITBIS", "/totals/tax").minus(additionalTotal);
	const adjustments = readAdjustments(findings, type, invoice);
	if (adjustments.length === 0) return read(lines, atLeastZero(findings, itbis, additionalTotal), []);

	const subtotal = Decimal.of(invoice.totals.subtotal);
	const bare = Decimal.sum(invoice.lines.map((line) => Decimal.of(line.subtotal)));
	const count: Count = (rated, sized) => {
		const adjusted = Decimal.sum(sized.map((adjustment) => adjustment.amount));
		const isNet = bare.plus(adjusted).minus(subtotal).abs().compare(bare.minus(subtotal).abs()) <= 0;
		if (isNet) return { ...read(rated, itbis.isNegative() ? Decimal.zero : itbis, sized), isInTax: false };
		const withoutAdjustments = itbis.minus(adjusted);
		if (withoutAdjustments.isNegative()) return undefined;
		const carried = read(rated, withoutAdjustments, sized);
		return carried.answer.isExplained && !hasNegativeBase(carried.answer) ? { ...carried, isInTax: true } : undefined;
	};
	const counted =
		countByRates(lines, adjustments, itbis.isZero() ? [4, 1, 2] : [1, 2, 4], count) ??
		count(lines, sizeAdjustments(adjustments, lines));
	if (!counted) {
		warn(findings, "adjustments-not-in-totals", "/adjustments", "The totals do not contain them; they are left out.");
		return read(lines, atLeastZero(findings, itbis, additionalTotal), []);
	}
	if (!counted.isInTax) atLeastZero(findings, itbis, additionalTotal);
	const { indicators } = counted.answer;
	const rated = lines.map(({ amount }, index) => ({ amount, declared: indicators[index] ?? 4 }));
	checkPercentages(findings, adjustments, counted.adjustments, rated);
	return counted;
}

/**
 * Where an adjustment is a percentage of the lines of one rate, and only some lines name theirs, its amount follows from the rate of
 * the others: the first rate by which all totals come out right. Undefined where none does, or where nothing depends on it.
 */
function countByRates(
	lines: readonly TaxedLine[],
	adjustments: readonly AdjustmentDraft[],
	candidates: readonly TaxIndicator[],
	count: Count,
): Counted | undefined {
	const isMixed =
		lines.some((line) => line.declared === undefined) && lines.some((line) => line.declared !== undefined);
	if (!isMixed || !adjustments.some(({ given, declared }) => !given && declared !== undefined)) return undefined;
	const bare = Decimal.sum(lines.map((line) => line.amount));
	const tolerance = CENT.times(Decimal.of(String(lines.length + 1)));
	for (const candidate of candidates) {
		const rated = lines.map((line) => ({ ...line, declared: line.declared ?? candidate }));
		const counted = count(rated, sizeAdjustments(adjustments, rated));
		if (!counted?.answer.isExplained || hasNegativeBase(counted.answer)) continue;
		const expected = bare.plus(Decimal.sum(counted.adjustments.map(({ amount }) => amount)));
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
