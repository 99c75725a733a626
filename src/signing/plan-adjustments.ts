/** Discounts and surcharges on the whole document. */
import { Decimal } from "../values";
import { INDICATOR_OF_RATE, type TaxIndicator } from "./ecf-codes";
import type { EcfAdjustment, EcfInvoice } from "./ecf-input";
import type { EcfType } from "./ecf-type";
import { type Findings, fault } from "./findings";
import { fitDecimal, fitText } from "./fit";
import type { LineDraft } from "./plan-lines";

/** An adjustment before it is known which rates it touches. */
export type AdjustmentDraft = {
	readonly kind: "discount" | "surcharge";
	readonly description?: string;
	readonly percent?: Decimal;
	/** A discount is negative. */
	readonly amount: Decimal;
	readonly declared?: TaxIndicator;
};

const PERCENT = Decimal.of("0.01");
const PERCENT_LIMIT = Decimal.of("1000");

export function readAdjustments(
	findings: Findings,
	type: EcfType,
	invoice: EcfInvoice,
	lines: readonly LineDraft[],
): AdjustmentDraft[] {
	return (invoice.adjustments ?? []).flatMap((adjustment, index) => {
		const draft = readAdjustment(findings, type, adjustment, lines, `/adjustments/${index}`);
		return draft && !draft.amount.isZero() ? [draft] : [];
	});
}

function readAdjustment(
	findings: Findings,
	type: EcfType,
	adjustment: EcfAdjustment,
	lines: readonly LineDraft[],
	at: string,
): AdjustmentDraft | undefined {
	const declared = adjustment.tax_rate === undefined ? undefined : INDICATOR_OF_RATE[adjustment.tax_rate];
	const percent = adjustment.percent === undefined ? undefined : readPercent(findings, adjustment.percent, at);
	const amount = readAmount(findings, adjustment, percent, declared, lines, at);
	if (!amount) return undefined;
	const kind = adjustment.kind === "surcharge" ? "surcharge" : "discount";
	return {
		kind,
		description: fitText(findings, adjustment.description.trim(), "DescripcionDescuentooRecargo", `${at}/description`),
		percent,
		amount: kind === "discount" ? amount.negated() : amount,
		declared: type === "44" ? 4 : declared,
	};
}

function readPercent(findings: Findings, text: string, at: string): Decimal | undefined {
	const percent = fitDecimal(findings, text, "ValorDescuentooRecargo", `${at}/percent`);
	if (!percent.isZero() && percent.compare(PERCENT_LIMIT) < 0) return percent;
	fault(findings, "rate-out-of-range", `${at}/percent`, "Must be above 0 and below 1000, with 2 decimals.");
	return undefined;
}

/** The amount as given, else the percentage of the lines that it touches. */
function readAmount(
	findings: Findings,
	adjustment: EcfAdjustment,
	percent: Decimal | undefined,
	declared: TaxIndicator | undefined,
	lines: readonly LineDraft[],
	at: string,
): Decimal | undefined {
	if (adjustment.amount !== undefined)
		return fitDecimal(findings, adjustment.amount, "MontoDescuentooRecargo", `${at}/amount`);
	if (percent) {
		const named = lines.filter((line) => line.declared === declared);
		const touched = declared === undefined || named.length === 0 ? lines : named;
		return Decimal.sum(touched.map((line) => line.amount))
			.times(percent)
			.times(PERCENT)
			.rounded(2);
	}
	if (adjustment.percent === undefined) {
		fault(findings, "adjustment-empty", at, "Send an amount, a percent, or both.");
	}
	return undefined;
}
