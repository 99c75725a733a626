/** The document's sums: additional taxes, adjustments, base and ITBIS of each rate. They all agree with the request's totals. */
import { msg } from "../../platform/problem";
import { Decimal } from "../../platform/values";
import { carries, mostOf } from "../format";
import type { EcfType } from "../types";
import type { SizedAdjustment } from "./adjustments";
import { type AdditionalTaxKind, additionalTaxKind, LEGAL_TIP, type TaxIndicator } from "./codes";
import type { TaxAnswer } from "./derive-tax";
import { type Findings, fault, fitDecimal, isPrintable } from "./findings";
import type { EcfInvoice } from "./invoice-request";
import type { AdditionalTax } from "./line-taxes";
import { type LineDraft, type PlannedLine, rateLine } from "./plan-lines";
import { hasNegativeBase, readTotals } from "./read-totals";
import { shareOut } from "./tax-draft";

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

/** All amounts of a document, in one currency. */
export type PlannedAmounts = {
	readonly lines: readonly PlannedLine[];
	readonly adjustments: readonly PlannedAdjustment[];
	readonly totals: PlannedTotals;
};

const HUNDREDTH = Decimal.of("0.01");
const TIP_TOLERANCE = Decimal.of("1.00");

export function planTotals(
	findings: Findings,
	type: EcfType,
	invoice: EcfInvoice,
	drafts: readonly LineDraft[],
): PlannedAmounts {
	const total = fitDecimal(findings, invoice.totals.grand_total, "MontoTotal", "/totals/grand_total");
	const taxes = drafts.flatMap((draft) => draft.additionalTaxes);
	const additionalTaxes = groupAdditionalTaxes(findings, type, taxes, invoice.legal_tip !== undefined);
	const additionalTotal = Decimal.sum(additionalTaxes.map((tax) => Decimal.of(tax.amount)));
	const { itbis, adjustments, answer } = readTotals(findings, type, invoice, drafts, total, additionalTotal);
	checkAnswer(findings, type, itbis, answer, drafts, adjustments.length > 0);
	checkLegalTip(findings, invoice, answer);

	const lines = drafts.map((draft, index) => rateLine(draft, answer.indicators[index] ?? 4));
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
	isTipped: boolean,
): PlannedAdditionalTax[] {
	const groups = new Map<string, { code: string; rate: Decimal; amount: Decimal }>();
	for (const { code, rate, amount } of taxes) {
		const key = `${code} ${rate.toFixed(2)}`;
		groups.set(key, { code, rate, amount: (groups.get(key)?.amount ?? Decimal.zero).plus(amount) });
	}
	const most = mostOf(type, "ImpuestosAdicionales/ImpuestoAdicional");
	if (groups.size > most) {
		const detail = msg`The totals hold at most ${most} different taxes and rates.`;
		fault(findings, "too-many-additional-taxes", "/lines", detail);
	}
	const sorted = [...groups.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
	const amounts = roundTogether(sorted.map((group) => group.amount));
	return sorted.map(({ code, rate, amount }, index) => ({
		code,
		kind: additionalTaxKind(code),
		// Gap: the tip of a document has its rate as the authority's table writes it; taxes of lines keep their form.
		rate: isTipped && code === LEGAL_TIP.code ? rate.toShortest() : rate.toFixed(2),
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
		fault(findings, "tax-not-allowed-for-type", "/totals/tax", msg`A special-regime invoice carries no ITBIS.`);
	} else {
		warnOfGuess(findings, itbis, answer, drafts);
	}
	if (!hasNegativeBase(answer)) return;
	if (isAdjusted) {
		fault(findings, "adjustment-exceeds-base", "/adjustments", msg`The discounts exceed the lines that they affect.`);
	} else {
		fault(findings, "totals-inconsistent", "/totals", msg`The totals leave a negative amount for the lines.`);
	}
}

/** The tip is a tenth of everything that is sold, after discounts and surcharges. */
function checkLegalTip(findings: Findings, { legal_tip: text }: EcfInvoice, { groups }: TaxAnswer): void {
	// Tills that always send the member send 0 where there is no tip.
	if (text === undefined || Decimal.of(text).isZero()) return;
	const sold = Decimal.sum(groups.map(({ base }) => base)).toFixed(2);
	const expected = Decimal.of(sold).times(LEGAL_TIP.rate).times(HUNDREDTH).toFixed(2);
	if (Decimal.of(text).minus(Decimal.of(expected)).abs().compare(TIP_TOLERANCE) <= 0) return;
	findings.warnings.push({
		code: "tip-differs",
		pointer: "/legal_tip",
		detail: `${LEGAL_TIP.rate} % of ${sold} is ${expected}, the tip is ${text}.`,
		detailEs: `El ${LEGAL_TIP.rate} % de ${sold} es ${expected}, la propina es ${text}.`,
	});
}

const SEND_RATES = { en: "Send tax_rate on every line.", es: "Envíe tax_rate en cada línea." };

/** Reports rates that were guessed, and a tax that does not follow from them; see the outcomes in `src/ecf/mapping/derive-tax.ts`. */
function warnOfGuess(findings: Findings, itbis: Decimal, answer: TaxAnswer, drafts: readonly LineDraft[]): void {
	const { outcome, expected } = answer;
	if (outcome === "ambiguous") {
		findings.warnings.push({
			code: "tax-ambiguous",
			pointer: "/lines",
			detail: `totals.tax fits more than one choice of rates for the lines without tax_rate, and one was taken. ${SEND_RATES.en}`,
			detailEs: `totals.tax corresponde a más de una combinación de tasas para las líneas sin tax_rate, y se tomó una. ${SEND_RATES.es}`,
		});
	}
	if (outcome !== "rounding" && outcome !== "not-derivable") return;
	const guess = describeGuess(answer, drafts);
	const stated = itbis.toFixed(2);
	const detail = `ITBIS of ${stated} does not follow from the lines' rates. ${guess.en}`;
	const detailEs = `El ITBIS de ${stated} no resulta de las tasas de las líneas. ${guess.es}`;
	const warning = { pointer: "/totals/tax", detail, detailEs };
	if (outcome === "rounding") findings.warnings.push({ ...warning, code: "tax-rounding" });
	else {
		const taxes = expected.map((tax) => tax.toFixed(2));
		findings.warnings.push({ ...warning, code: "tax-not-derivable", expected: taxes });
	}
}

function describeGuess({ indicators }: TaxAnswer, drafts: readonly LineDraft[]): typeof SEND_RATES {
	if (drafts.some(({ declared }) => declared === undefined)) {
		return {
			en: `Lines without a rate count as taxed at 18 % or exempt, whichever is nearest. ${SEND_RATES.en}`,
			es: `Las líneas sin tasa cuentan como gravadas al 18 % o exentas, lo que más se acerque. ${SEND_RATES.es}`,
		};
	}
	const areKept = drafts.every(({ declared }, index) => declared === indicators[index]);
	return areKept
		? {
				en: "The rates are kept and the tax is shared out among them.",
				es: "Se conservan las tasas y el impuesto se reparte entre ellas.",
			}
		: {
				en: "None of them bears tax, so lines count as taxed at 18 % or exempt, whichever is nearest, despite their rates.",
				es: "Ninguna lleva impuesto, así que las líneas cuentan como gravadas al 18 % o exentas, lo que más se acerque, a pesar de sus tasas.",
			};
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
		fault(findings, "amount-too-large", pointer, msg`Has more than 16 integer digits.`);
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
		const detail = msg`They make ${placed.length} entries, one for each rate that they affect, but the format allows ${most}. Send tax_rate on each.`;
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

export function sumWithheld(findings: Findings, lines: readonly PlannedLine[]): PlannedTotals["withheld"] {
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
		fault(findings, "amount-too-large", pointer, msg`With this line the sum has more than 16 integer digits.`);
	}
	return sum.toFixed(2);
}
