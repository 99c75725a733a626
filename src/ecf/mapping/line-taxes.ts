/** Taxes of a line besides ITBIS, the legal tip that all lines carry, and the further data that excise needs. */
import { msg } from "../../platform/problem";
import { Decimal } from "../../platform/values";
import { carries, mostOf } from "../format";
import { type EcfType, profileOf } from "../types";
import { additionalTaxKind, defaultAdditionalRate, LEGAL_TIP, mayCarryAdditionalTax } from "./codes";
import { type Findings, fault, fitDecimal, warn } from "./findings";
import type { EcfAdditionalTax, EcfInvoice, EcfLine } from "./invoice-request";

export type AdditionalTax = {
	readonly code: string;
	readonly rate: Decimal;
	/** As in the request: an Item lists its taxes without amounts, so only their sums are rounded. */
	readonly amount: Decimal;
};

/** What excise is calculated from, beside price and quantity. */
export type PlannedExcise = {
	readonly referenceQuantity?: string;
	readonly referenceUnit?: string;
	readonly subQuantities: readonly { readonly quantity: string; readonly unit: string }[];
	readonly alcoholDegrees?: string;
	/** Pesos. */
	readonly retailPrice?: string;
};

const RATE_LIMIT = Decimal.of("1000");

export function readAdditionalTaxes(findings: Findings, type: EcfType, line: EcfLine, at: string): AdditionalTax[] {
	if (line.additional_taxes === undefined) return [];
	return line.additional_taxes.flatMap((tax, index) => {
		const pointer = `${at}/additional_taxes/${index}`;
		const rounded = fitDecimal(findings, tax.amount, "OtrosImpuestosAdicionales", `${pointer}/amount`);
		if (rounded.isZero()) {
			warnOfZeroTax(findings, tax, pointer);
			return [];
		}
		if (!mayCarryAdditionalTax(type, tax.code)) {
			const detail = msg`A ${profileOf(type).name} does not carry tax ${tax.code}.`;
			fault(findings, "additional-tax-not-allowed-for-type", `${pointer}/code`, detail);
			return [];
		}
		const rate = readAdditionalRate(findings, tax, pointer);
		return rate ? [{ code: tax.code, rate, amount: Decimal.of(tax.amount) }] : [];
	});
}

/** The authority requires the amount of every tax, and its schema allows no amount of zero. So the document cannot state the tax at all. */
function warnOfZeroTax(findings: Findings, { code }: EcfAdditionalTax, pointer: string): void {
	// A tip of zero is nothing, but an excise of zero may be meant as an exemption.
	if (additionalTaxKind(code) === "other") return;
	const detail = msg`Excise ${code} of 0.00 is left out, because the authority's format allows only amounts above zero.`;
	warn(findings, "excise-zero", `${pointer}/amount`, detail);
}

function readAdditionalRate(findings: Findings, tax: EcfAdditionalTax, pointer: string): Decimal | undefined {
	const text = tax.rate ?? defaultAdditionalRate(tax.code);
	if (text === undefined) {
		const detail = msg`Send the rate of tax ${tax.code}, which changes each quarter.`;
		fault(findings, "additional-tax-rate-required", `${pointer}/rate`, detail);
		return undefined;
	}
	const rate = fitDecimal(findings, text, "TasaImpuestoAdicional", `${pointer}/rate`);
	if (rate.isZero() || rate.compare(RATE_LIMIT) >= 0) {
		fault(findings, "rate-out-of-range", `${pointer}/rate`, msg`Must be above 0 and below 1000, with 2 decimals.`);
		return undefined;
	}
	return rate;
}

/** The part of a line's additional taxes that is part of the ITBIS base: excise, codes 006 to 039. */
export function exciseOf(draft: { readonly additionalTaxes: readonly AdditionalTax[] }): Decimal {
	if (draft.additionalTaxes.length === 0) return Decimal.zero;
	return Decimal.sum(
		draft.additionalTaxes.filter((tax) => additionalTaxKind(tax.code) !== "other").map((tax) => tax.amount),
	);
}

export function readExcise(
	findings: Findings,
	type: EcfType,
	{ excise }: EcfLine,
	line: string,
): PlannedExcise | undefined {
	if (excise === undefined) return undefined;
	const at = `${line}/excise`;
	if (!carries(type, "CantidadReferencia")) {
		fault(findings, "not-allowed-for-type", at, msg`A ${profileOf(type).name} carries no excise.`);
		return undefined;
	}
	const { reference_quantity, reference_unit, sub_quantities = [], alcohol_degrees, retail_price } = excise;
	const read = (text: string | undefined, element: string, member: string) =>
		text === undefined ? undefined : fitDecimal(findings, text, element, `${at}/${member}`);
	const degrees = read(alcohol_degrees, "GradosAlcohol", "alcohol_degrees");
	if (degrees && (degrees.isZero() || degrees.compare(RATE_LIMIT) >= 0)) {
		fault(
			findings,
			"rate-out-of-range",
			`${at}/alcohol_degrees`,
			msg`Must be above 0 and below 1000, with 2 decimals.`,
		);
	}
	const price = read(retail_price, "PrecioUnitarioReferencia", "retail_price");
	if (price?.isZero()) fault(findings, "not-positive", `${at}/retail_price`, msg`The retail price must be above 0.`);
	return {
		referenceQuantity: read(reference_quantity, "CantidadReferencia", "reference_quantity")?.toShortest(),
		referenceUnit: reference_unit,
		subQuantities: sub_quantities.map(({ quantity, unit }, index) => ({
			quantity: fitDecimal(findings, quantity, "Subcantidad", `${at}/sub_quantities/${index}/quantity`).toShortest(),
			unit,
		})),
		alcoholDegrees: degrees?.toFixed(2),
		retailPrice: price?.toFixed(2),
	};
}

/** The legal tip, which is of the whole document; undefined if there is none. */
export function readLegalTip(
	findings: Findings,
	type: EcfType,
	{ legal_tip: text }: EcfInvoice,
): AdditionalTax | undefined {
	if (text === undefined) return undefined;
	if (!mayCarryAdditionalTax(type, LEGAL_TIP.code)) {
		fault(findings, "not-allowed-for-type", "/legal_tip", msg`A ${profileOf(type).name} carries no tip.`);
		return undefined;
	}
	const amount = fitDecimal(findings, text, "OtrosImpuestosAdicionales", "/legal_tip");
	// The format has no tip of zero.
	return amount.isZero() ? undefined : { ...LEGAL_TIP, amount };
}

/** The taxes of a line with the tip, which every line names. Its amount counts once, in the first. */
export function withLegalTip(
	findings: Findings,
	type: EcfType,
	taxes: readonly AdditionalTax[],
	tip: AdditionalTax,
	index: number,
): readonly AdditionalTax[] {
	const at = `/lines/${index}/additional_taxes`;
	if (taxes.some(({ code }) => code === tip.code)) {
		fault(findings, "exclusive", at, msg`Send the tip as legal_tip or as tax 001 of the lines, not both.`);
		return taxes;
	}
	const most = mostOf(type, "TablaImpuestoAdicional/ImpuestoAdicional");
	if (taxes.length >= most) {
		fault(findings, "too-many-additional-taxes", at, msg`A line has at most ${most} taxes, and the legal tip is one.`);
	}
	return [...taxes, index === 0 ? tip : { ...tip, amount: Decimal.zero }];
}
