/** Discounts and surcharges on the whole document, as the request has them. What they come to is told in `size-adjustments.ts`. */
import { Decimal } from "../../platform/values";
import type { TaxIndicator } from "./ecf-codes";
import type { EcfAdjustment, EcfInvoice } from "./ecf-input";
import type { EcfType } from "./ecf-type";
import { type Findings, fault } from "./findings";
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

const PERCENT_LIMIT = Decimal.of("1000");

export function readAdjustments(
	findings: Findings,
	type: EcfType,
	invoice: Pick<EcfInvoice, "adjustments">,
): AdjustmentDraft[] {
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
