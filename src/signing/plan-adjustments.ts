/** Discounts and surcharges on the whole document. */
import { Decimal } from "../values";
import type { TaxIndicator } from "./ecf-codes";
import type { EcfAdjustment, EcfInvoice } from "./ecf-input";
import type { EcfType } from "./ecf-type";
import { type Findings, fault, warn } from "./findings";
import { fitDecimal, fitText } from "./fit";
import { readIndicator } from "./plan-lines";

/** An adjustment before it is known which lines it touches. */
export type AdjustmentDraft = {
	/** Place in the request. */
	readonly position: number;
	readonly kind: "discount" | "surcharge";
	readonly description?: string;
	readonly percent?: Decimal;
	/** As the request gives it; absent: the percentage of the lines that it touches. */
	readonly given?: Decimal;
	readonly declared?: TaxIndicator;
};

/** An adjustment with its amount, which a percentage has only among lines of known rates. */
export type SizedAdjustment = AdjustmentDraft & {
	/** A discount is negative; none is zero. */
	readonly amount: Decimal;
};

/** What a percentage looks at in a line. */
type RatedLine = { readonly amount: Decimal; readonly declared?: TaxIndicator };

const PERCENT = Decimal.of("0.01");
const PERCENT_LIMIT = Decimal.of("1000");
const CENT = Decimal.of("0.01");
/** Half of the last place that a percentage is written with, as a factor. */
const PERCENT_ROUNDING = Decimal.of("0.00005");

export function readAdjustments(findings: Findings, type: EcfType, invoice: EcfInvoice): AdjustmentDraft[] {
	return (invoice.adjustments ?? []).flatMap((adjustment, position) => {
		const draft = readAdjustment(findings, type, adjustment, position);
		return draft ? [draft] : [];
	});
}

function readAdjustment(
	findings: Findings,
	type: EcfType,
	adjustment: EcfAdjustment,
	position: number,
): AdjustmentDraft | undefined {
	const at = `/adjustments/${position}`;
	const declared = readIndicator(findings, type, adjustment.tax_rate, `${at}/tax_rate`);
	const percent = adjustment.percent === undefined ? undefined : readPercent(findings, adjustment.percent, at);
	const given =
		adjustment.amount === undefined
			? undefined
			: fitDecimal(findings, adjustment.amount, "MontoDescuentooRecargo", `${at}/amount`);
	if (adjustment.percent === undefined && !given) {
		fault(findings, "adjustment-empty", at, "Send an amount, a percent, or both.");
	}
	if (!percent && !given) return undefined;
	return {
		position,
		kind: adjustment.kind === "surcharge" ? "surcharge" : "discount",
		description: fitText(findings, adjustment.description.trim(), "DescripcionDescuentooRecargo", `${at}/description`),
		percent,
		given,
		declared,
	};
}

function readPercent(findings: Findings, text: string, at: string): Decimal | undefined {
	const percent = fitDecimal(findings, text, "ValorDescuentooRecargo", `${at}/percent`);
	if (!percent.isZero() && percent.compare(PERCENT_LIMIT) < 0) return percent;
	fault(findings, "rate-out-of-range", `${at}/percent`, "Must be above 0 and below 1000, with 2 decimals.");
	return undefined;
}

/** Gives each its amount: the request's own, else the percentage of the lines that it touches. */
export function sizeAdjustments(drafts: readonly AdjustmentDraft[], lines: readonly RatedLine[]): SizedAdjustment[] {
	return drafts.flatMap((draft) => {
		const size = draft.given ?? percentageOf(draft, touchedBy(draft, lines));
		if (size.isZero()) return [];
		return [{ ...draft, amount: draft.kind === "discount" ? size.negated() : size }];
	});
}

/**
 * Warns of percentages that do not give what the totals hold, further than their two decimals explain. Where an amount is given it counts: its
 * percentage may be one of what other adjustments have left.
 */
export function checkPercentages(
	findings: Findings,
	drafts: readonly AdjustmentDraft[],
	sized: readonly SizedAdjustment[],
	lines: readonly RatedLine[],
): void {
	for (const draft of drafts) {
		const { percent, position, given } = draft;
		if (!percent || given) continue;
		const base = touchedBy(draft, lines);
		const expected = percentageOf(draft, base);
		const amount = sized.find((one) => one.position === position)?.amount.abs() ?? Decimal.zero;
		const tolerance = base.times(PERCENT_ROUNDING).plus(CENT);
		if (amount.minus(expected).abs().compare(tolerance) <= 0) continue;
		const detail = `${percent.toFixed(2)} % of the lines, ${base.toFixed(2)}, is ${expected.toFixed(2)}; the totals hold ${amount.toFixed(2)}.`;
		warn(findings, "adjustment-percent", `/adjustments/${position}/percent`, detail);
	}
}

/** The sum of the lines of its rate; of all lines where it names no rate, or one that no line has. */
function touchedBy({ declared }: AdjustmentDraft, lines: readonly RatedLine[]): Decimal {
	const named = declared === undefined ? lines : lines.filter((line) => line.declared === declared);
	return Decimal.sum((named.length === 0 ? lines : named).map((line) => line.amount));
}

function percentageOf({ percent }: AdjustmentDraft, base: Decimal): Decimal {
	return percent ? base.times(percent).times(PERCENT).rounded(2) : Decimal.zero;
}
