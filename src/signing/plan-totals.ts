/** The document's sums: additional taxes, adjustments, base and ITBIS of each rate, all meeting the request's totals. */
import { Decimal } from "../values";
import { deriveTax, type TaxAnswer } from "./derive-tax";
import { type AdditionalTaxKind, additionalTaxKind, type TaxIndicator } from "./ecf-codes";
import type { EcfInvoice } from "./ecf-input";
import type { EcfType } from "./ecf-type";
import { type Findings, fault, warn } from "./findings";
import { fitDecimal } from "./fit";
import { type AdjustmentDraft, readAdjustments } from "./plan-adjustments";
import { exciseOf, type LineDraft, type PlannedLine } from "./plan-lines";

export type PlannedAdjustment = {
	readonly kind: "discount" | "surcharge";
	readonly description?: string;
	/** Present when the request gives a percentage. */
	readonly percent?: string;
	readonly amount: string;
	readonly indicator: TaxIndicator;
};

export type PlannedAdditionalTax = {
	readonly code: string;
	readonly kind: AdditionalTaxKind;
	/** Percent, or pesos for a specific tax. */
	readonly rate: string;
	readonly amount: string;
};

export type PlannedTotals = {
	/** Base and ITBIS of each indicator in use, ascending. */
	readonly groups: readonly { readonly indicator: TaxIndicator; readonly base: string; readonly itbis: string }[];
	/** MontoGravadoTotal; absent when everything is exempt. */
	readonly taxedBase?: string;
	/** MontoExento; absent when nothing is. */
	readonly exemptBase?: string;
	/** TotalITBIS; absent when everything is exempt. */
	readonly itbis?: string;
	readonly additionalTaxes: readonly PlannedAdditionalTax[];
	readonly additionalTotal?: string;
	/** MontoTotal. */
	readonly grandTotal: string;
	/** Sums of what is withheld; present when a line has a withholding, zero or not. */
	readonly withheld?: { readonly itbis: string; readonly isr: string };
};

const ADDITIONAL_TAXES_MAX = 20;
const ADJUSTMENTS_MAX = 20;

export function planTotals(
	findings: Findings,
	type: EcfType,
	invoice: EcfInvoice,
	drafts: readonly LineDraft[],
): { lines: PlannedLine[]; adjustments: PlannedAdjustment[]; totals: PlannedTotals } {
	const grandTotal = fitDecimal(findings, invoice.totals.grand_total, 2, "/totals/grand_total");
	const tax = fitDecimal(findings, invoice.totals.tax, 2, "/totals/tax");
	const additionalTaxes = groupAdditionalTaxes(findings, drafts);
	const additionalTotal = Decimal.sum(drafts.flatMap((draft) => draft.additionalTaxes).map((entry) => entry.amount));
	const itbis = leaveForItbis(findings, type, tax, additionalTotal);
	const adjustments = readAdjustments(findings, type, invoice, drafts);

	const answer = deriveTax({
		lines: drafts.map((draft) => ({ amount: draft.amount, declared: draft.declared, excise: exciseOf(draft) })),
		adjustments,
		base: grandTotal.minus(itbis).minus(additionalTotal),
		itbis,
	});
	checkAnswer(findings, answer, adjustments.length > 0);

	const lines = drafts.map(({ line }, index): PlannedLine => ({ ...line, indicator: answer.indicators[index] ?? 4 }));
	return {
		lines,
		adjustments: placeAdjustments(findings, adjustments, answer),
		totals: {
			...printGroups(answer),
			additionalTaxes,
			additionalTotal: additionalTotal.isZero() ? undefined : additionalTotal.toFixed(2),
			grandTotal: grandTotal.toFixed(2),
			withheld: sumWithheld(lines),
		},
	};
}

/** ITBIS is what `totals.tax` holds besides the additional taxes. */
function leaveForItbis(findings: Findings, type: EcfType, tax: Decimal, additionalTotal: Decimal): Decimal {
	const itbis = tax.minus(additionalTotal);
	if (itbis.isNegative()) {
		const detail = `The lines' additional taxes are ${additionalTotal.toFixed(2)} and are part of totals.tax.`;
		fault(findings, "additional-taxes-exceed-tax", "/totals/tax", detail);
		return Decimal.zero;
	}
	// Gap: a special-regime invoice may carry taxes on services; only what is left as ITBIS is refused.
	if (type === "44" && !itbis.isZero()) {
		fault(findings, "tax-not-allowed-for-type", "/totals/tax", "A special-regime invoice carries no ITBIS.");
	}
	return itbis;
}

/** One entry for each code and rate. */
function groupAdditionalTaxes(findings: Findings, drafts: readonly LineDraft[]): PlannedAdditionalTax[] {
	const groups = new Map<string, { code: string; rate: Decimal; amount: Decimal }>();
	for (const { code, rate, amount } of drafts.flatMap((draft) => draft.additionalTaxes)) {
		const key = `${code} ${rate.toFixed(2)}`;
		groups.set(key, { code, rate, amount: (groups.get(key)?.amount ?? Decimal.zero).plus(amount) });
	}
	if (groups.size > ADDITIONAL_TAXES_MAX) {
		const detail = `The document's totals hold ${ADDITIONAL_TAXES_MAX} different taxes and rates at most.`;
		fault(findings, "too-many-additional-taxes", "/lines", detail);
	}
	return [...groups.entries()]
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([, { code, rate, amount }]) => ({
			code,
			kind: additionalTaxKind(code),
			rate: rate.toFixed(2),
			amount: amount.toFixed(2),
		}));
}

function checkAnswer(findings: Findings, answer: TaxAnswer, isAdjusted: boolean): void {
	if (!answer.isExplained) {
		warn(
			findings,
			"tax-not-derivable",
			"/totals/tax",
			"No rate of the lines explains it: the base is taken as what it implies at 18 %, the rest as exempt. Send tax_rate on every line.",
		);
	}
	if (!answer.groups.some((group) => group.base.isNegative())) return;
	if (isAdjusted) {
		fault(findings, "adjustment-exceeds-base", "/adjustments", "The discounts are more than the lines they touch.");
	} else {
		fault(findings, "totals-inconsistent", "/totals", "The totals leave less than nothing for the lines.");
	}
}

/** An adjustment that touches several rates becomes an entry for each. */
function placeAdjustments(
	findings: Findings,
	adjustments: readonly AdjustmentDraft[],
	answer: TaxAnswer,
): PlannedAdjustment[] {
	const placed = adjustments.flatMap(({ kind, description, percent }, index) =>
		(answer.shares[index] ?? [])
			.filter((share) => !share.amount.isZero())
			.map((share) => ({
				kind,
				description,
				percent: percent?.toFixed(2),
				amount: share.amount.abs().toFixed(2),
				indicator: share.indicator,
			})),
	);
	if (placed.length > ADJUSTMENTS_MAX) {
		const detail = `They make ${placed.length} entries, one for each rate they touch; the format holds ${ADJUSTMENTS_MAX}. Send tax_rate on each.`;
		fault(findings, "too-many-adjustments", "/adjustments", detail);
	}
	return placed;
}

function printGroups(answer: TaxAnswer): Pick<PlannedTotals, "groups" | "taxedBase" | "exemptBase" | "itbis"> {
	const taxed = answer.groups.filter((group) => group.indicator !== 4);
	const exempt = answer.groups.find((group) => group.indicator === 4);
	const sum = (values: readonly Decimal[]) => (taxed.length === 0 ? undefined : Decimal.sum(values).toFixed(2));
	return {
		groups: answer.groups.map(({ indicator, base, itbis }) => ({
			indicator,
			base: base.toFixed(2),
			itbis: itbis.toFixed(2),
		})),
		taxedBase: sum(taxed.map((group) => group.base)),
		exemptBase: exempt?.base.toFixed(2),
		itbis: sum(taxed.map((group) => group.itbis)),
	};
}

function sumWithheld(lines: readonly PlannedLine[]): PlannedTotals["withheld"] {
	const withheld = lines.flatMap((line) => (line.withholding ? [line.withholding] : []));
	if (withheld.length === 0) return undefined;
	return {
		itbis: Decimal.sum(withheld.map((entry) => Decimal.of(entry.itbis))).toFixed(2),
		isr: Decimal.sum(withheld.map((entry) => Decimal.of(entry.isr))).toFixed(2),
	};
}
