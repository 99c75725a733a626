/** The document's sums: additional taxes, adjustments, base and ITBIS of each rate. They all agree with the request's totals. */
import { Decimal } from "../../platform/values";
import { carries, mostOf } from "../format";
import type { EcfType } from "../types";
import type { SizedAdjustment } from "./adjustments";
import { type AdditionalTaxKind, additionalTaxKind, type TaxIndicator } from "./codes";
import { shareOut, type TaxAnswer } from "./derive-tax";
import { type Findings, fault, fitDecimal, isPrintable, warn } from "./findings";
import type { EcfInvoice } from "./invoice-request";
import type { AdditionalTax, LineDraft, PlannedLine } from "./plan-lines";
import { hasNegativeBase, readTotals } from "./read-totals";

export type PlannedAdjustment = {
	/** Index in the request. */
	readonly position: number;
	readonly kind: "discount" | "surcharge";
	readonly description?: string;
	/** Present if the request has a percentage. */
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
	/** MontoGravadoTotal; absent if everything is exempt. */
	readonly taxedBase?: string;
	/** MontoExento; absent if nothing is exempt. */
	readonly exemptBase?: string;
	/** TotalITBIS; absent if everything is exempt. */
	readonly itbis?: string;
	readonly additionalTaxes: readonly PlannedAdditionalTax[];
	readonly additionalTotal?: string;
	/** MontoTotal. */
	readonly total: string;
	/** Sums of the withheld amounts; present if a line has a withholding, even of zero. */
	readonly withheld?: { readonly itbis: string; readonly isr: string };
};

export function planTotals(
	findings: Findings,
	type: EcfType,
	invoice: EcfInvoice,
	drafts: readonly LineDraft[],
): { lines: PlannedLine[]; adjustments: PlannedAdjustment[]; totals: PlannedTotals } {
	const total = fitDecimal(findings, invoice.totals.grand_total, "MontoTotal", "/totals/grand_total");
	const taxes = drafts.flatMap((draft) => draft.additionalTaxes);
	const additionalTaxes = groupAdditionalTaxes(findings, type, taxes);
	const additionalTotal = Decimal.sum(additionalTaxes.map((tax) => Decimal.of(tax.amount)));
	const { itbis, adjustments, answer } = readTotals(findings, type, invoice, drafts, total, additionalTotal);
	checkAnswer(findings, type, itbis, answer, drafts, adjustments.length > 0);

	const lines = drafts.map(({ line }, index): PlannedLine => ({ ...line, indicator: answer.indicators[index] ?? 4 }));
	return {
		lines,
		adjustments: placeAdjustments(findings, type, adjustments, answer),
		totals: {
			...printGroups(answer),
			additionalTaxes,
			additionalTotal: additionalTotal.isZero() ? undefined : additionalTotal.toFixed(2),
			total: total.toFixed(2),
			withheld: sumWithheld(findings, lines),
		},
	};
}

/** One entry for each code and rate. */
function groupAdditionalTaxes(
	findings: Findings,
	type: EcfType,
	taxes: readonly AdditionalTax[],
): PlannedAdditionalTax[] {
	const groups = new Map<string, { code: string; rate: Decimal; amount: Decimal }>();
	for (const { code, rate, amount } of taxes) {
		const key = `${code} ${rate.toFixed(2)}`;
		groups.set(key, { code, rate, amount: (groups.get(key)?.amount ?? Decimal.zero).plus(amount) });
	}
	const most = mostOf(type, "ImpuestosAdicionales/ImpuestoAdicional");
	if (groups.size > most) {
		const detail = `The totals hold at most ${most} different taxes and rates.`;
		fault(findings, "too-many-additional-taxes", "/lines", detail);
	}
	const sorted = [...groups.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
	const amounts = roundTogether(sorted.map((group) => group.amount));
	return sorted.map(({ code, rate, amount }, index) => ({
		code,
		kind: additionalTaxKind(code),
		rate: rate.toFixed(2),
		amount: (amounts[index] ?? amount).toFixed(2),
	}));
}

/** Cents that add up to the rounded sum, unless one of them would be zero, which the format does not allow. */
function roundTogether(amounts: readonly Decimal[]): Decimal[] {
	const rounded = amounts.map((amount) => amount.rounded(2));
	const total = Decimal.sum(amounts).rounded(2);
	if (Decimal.sum(rounded).equals(total)) return rounded;
	const shares = shareOut(total, amounts);
	return shares.some((share) => share.isZero()) ? rounded : shares;
}

function checkAnswer(
	findings: Findings,
	type: EcfType,
	itbis: Decimal,
	answer: TaxAnswer,
	drafts: readonly LineDraft[],
	isAdjusted: boolean,
): void {
	// Gap: a special-regime invoice may carry taxes on services; only the remaining ITBIS is refused.
	if (!carries(type, "TotalITBIS") && !itbis.isZero()) {
		fault(findings, "tax-not-allowed-for-type", "/totals/tax", "A special-regime invoice carries no ITBIS.");
	} else if (!answer.isExplained) {
		warn(
			findings,
			"tax-not-derivable",
			"/totals/tax",
			`It does not follow from the lines' rates. ${describeGuess(answer, drafts)}`,
		);
	}
	if (!hasNegativeBase(answer)) return;
	if (isAdjusted) {
		fault(findings, "adjustment-exceeds-base", "/adjustments", "The discounts exceed the lines that they affect.");
	} else {
		fault(findings, "totals-inconsistent", "/totals", "The totals leave a negative amount for the lines.");
	}
}

/** Describes how a tax that does not follow from the lines was handled; see the outcomes in `src/ecf/mapping/derive-tax.ts`. */
function describeGuess({ indicators }: TaxAnswer, drafts: readonly LineDraft[]): string {
	if (drafts.some(({ declared }) => declared === undefined)) {
		return "Lines without a rate count as taxed at 18 % as far as the tax implies, the rest as exempt. Send tax_rate on every line.";
	}
	const areKept = drafts.every(({ declared }, index) => declared === indicators[index]);
	return areKept
		? "The rates are kept and the tax is shared out among them."
		: "None of them bears tax, so lines count as taxed at 18 % as far as the tax implies, despite their rates.";
}

/** An adjustment that affects several rates becomes an entry for each. */
function placeAdjustments(
	findings: Findings,
	type: EcfType,
	adjustments: readonly SizedAdjustment[],
	answer: TaxAnswer,
): PlannedAdjustment[] {
	for (const { position, given, amount } of adjustments) {
		// A given amount was checked when it was read.
		if (given || isPrintable(amount)) continue;
		const pointer = `/adjustments/${position}/percent`;
		fault(findings, "amount-too-large", pointer, "Has more than 16 integer digits.");
	}
	const placed = adjustments.flatMap(({ position, kind, description, percent }, index) =>
		(answer.shares[index] ?? [])
			.filter((share) => !share.amount.isZero())
			.map((share) => ({
				position,
				kind,
				description,
				percent: percent?.toFixed(2),
				amount: share.amount.abs().toFixed(2),
				indicator: share.indicator,
			})),
	);
	const most = mostOf(type, "DescuentosORecargos/DescuentoORecargo");
	if (placed.length > most) {
		const detail = `They make ${placed.length} entries, one for each rate that they affect, but the format allows ${most}. Send tax_rate on each.`;
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

function sumWithheld(findings: Findings, lines: readonly PlannedLine[]): PlannedTotals["withheld"] {
	if (!lines.some((line) => line.withholding)) return undefined;
	return { itbis: sumOfWithheld(findings, lines, "itbis"), isr: sumOfWithheld(findings, lines, "isr") };
}

function sumOfWithheld(findings: Findings, lines: readonly PlannedLine[], tax: "itbis" | "isr"): string {
	let sum = Decimal.zero;
	let tooLargeFrom: number | undefined;
	for (const { number, withholding } of lines) {
		if (!withholding) continue;
		sum = sum.plus(Decimal.of(withholding[tax]));
		if (tooLargeFrom === undefined && !isPrintable(sum)) tooLargeFrom = number;
	}
	if (tooLargeFrom !== undefined) {
		const pointer = `/lines/${tooLargeFrom - 1}/withholding/${tax}`;
		fault(findings, "amount-too-large", pointer, "With this line the sum has more than 16 integer digits.");
	}
	return sum.toFixed(2);
}
