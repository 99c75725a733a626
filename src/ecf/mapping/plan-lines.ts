/** The lines of the request as Items of the e-CF, without the tax indicator, which depends on the whole document. */
import { Decimal } from "../../platform/values";
import { carries, charactersMax } from "../format";
import { type EcfType, profileOf } from "../types";
import {
	additionalTaxKind,
	defaultAdditionalRate,
	INDICATOR_OF_RATE,
	mayCarryAdditionalTax,
	type TaxIndicator,
	toFormatUnit,
} from "./codes";
import { cutText, type Findings, fault, fitDecimal, fitText, warn } from "./findings";
import type { EcfAdditionalTax, EcfItemCode, EcfLine } from "./invoice-request";

export type PlannedLine = {
	/** Position in the document, from 1. */
	readonly number: number;
	readonly indicator: TaxIndicator;
	readonly codes: readonly EcfItemCode[];
	readonly name: string;
	readonly description?: string;
	readonly isService: boolean;
	readonly quantity: string;
	readonly unit?: string;
	/** `YYYY-MM-DD`, like the next. */
	readonly productionDate?: string;
	readonly expiryDate?: string;
	readonly unitPrice: string;
	readonly discount?: string;
	readonly surcharge?: string;
	readonly additionalTaxes: readonly string[];
	readonly withholding?: { readonly itbis: string; readonly isr: string };
	/** MontoItem. */
	readonly amount: string;
};

export type LineDraft = {
	readonly line: Omit<PlannedLine, "indicator">;
	readonly amount: Decimal;
	readonly exact: Decimal;
	readonly declared?: TaxIndicator;
	readonly additionalTaxes: readonly AdditionalTax[];
};

export type AdditionalTax = {
	readonly code: string;
	readonly rate: Decimal;
	/** As in the request: an Item lists its taxes without amounts, so only their sums are rounded. */
	readonly amount: Decimal;
};

/** The element that states each member of a request's line. A member that is missing here does not compile. */
export const LINE_ELEMENTS = {
	line_number: "NumeroLinea",
	description: "DescripcionItem",
	quantity: "CantidadItem",
	unit_price: "PrecioUnitarioItem",
	subtotal: "MontoItem",
	tax_rate: "IndicadorFacturacion",
	kind: "IndicadorBienoServicio",
	unit: "UnidadMedida",
	item_code: "TablaCodigosItem",
	discount: "DescuentoMonto",
	surcharge: "RecargoMonto",
	withholding: "Retencion",
	additional_taxes: "TablaImpuestoAdicional",
	production_date: "FechaElaboracion",
	expiry_date: "FechaVencimientoItem",
} as const satisfies Record<keyof EcfLine, string>;

const RATE_LIMIT = Decimal.of("1000");

export function readLines(findings: Findings, type: EcfType, lines: readonly EcfLine[]): LineDraft[] {
	return lines.map((line, index) => readLine(findings, type, line, index));
}

function readLine(findings: Findings, type: EcfType, line: EcfLine, index: number): LineDraft {
	const at = `/lines/${index}`;
	const quantity = fitDecimal(findings, line.quantity, LINE_ELEMENTS.quantity, `${at}/quantity`);
	if (quantity.isZero()) {
		fault(findings, "quantity-zero", `${at}/quantity`, "Is zero when rounded to the format's 2 decimals.");
	}
	const unitPrice = fitDecimal(findings, line.unit_price, LINE_ELEMENTS.unit_price, `${at}/unit_price`);
	const discount = readPositive(findings, line.discount, LINE_ELEMENTS.discount, `${at}/discount`);
	const surcharge = readPositive(findings, line.surcharge, LINE_ELEMENTS.surcharge, `${at}/surcharge`);
	const amount = fitDecimal(findings, line.subtotal, LINE_ELEMENTS.subtotal, `${at}/subtotal`);
	checkProduct(findings, line, at);

	// The name is the beginning of the description, which follows in full, so the cut loses nothing.
	const name = cutText(line.description.trim(), charactersMax("NombreItem")).trimEnd();
	const description = fitText(findings, line.description, LINE_ELEMENTS.description, `${at}/description`);
	if (name === "") {
		fault(findings, "description-empty", `${at}/description`, "Must not be blank.");
	}
	const unit = line.unit === undefined ? undefined : toFormatUnit(line.unit);
	if (line.unit !== undefined && !unit) {
		fault(findings, "unit-unknown", `${at}/unit`, "Send a code of the authority's unit table, 1 to 62.");
	}
	const additionalTaxes = readAdditionalTaxes(findings, type, line, at);
	return {
		line: {
			number: index + 1,
			codes: readCodes(findings, line, at),
			name,
			description,
			isService: line.kind === "service",
			quantity: quantity.toFixed(2),
			unit,
			productionDate: line.production_date,
			expiryDate: line.expiry_date,
			unitPrice: unitPrice.toShortest(2),
			discount: discount?.toFixed(2),
			surcharge: surcharge?.toFixed(2),
			additionalTaxes: additionalTaxes.map((tax) => tax.code),
			withholding: readWithholding(findings, type, line, at),
			amount: amount.toFixed(2),
		},
		amount,
		exact: Decimal.of(line.subtotal),
		declared: readIndicator(findings, type, line.tax_rate, `${at}/tax_rate`),
		additionalTaxes,
	};
}

function readPositive(
	findings: Findings,
	text: string | undefined,
	element: string,
	pointer: string,
): Decimal | undefined {
	if (text === undefined) return undefined;
	const amount = fitDecimal(findings, text, element, pointer);
	return amount.isZero() ? undefined : amount;
}

/** Compared to the cent, because both are printed. */
function checkProduct(findings: Findings, line: EcfLine, at: string): void {
	let product = Decimal.of(line.quantity).times(Decimal.of(line.unit_price));
	if (line.discount !== undefined) product = product.minus(Decimal.of(line.discount));
	if (line.surcharge !== undefined) product = product.plus(Decimal.of(line.surcharge));
	if (product.rounded(2).equals(Decimal.of(line.subtotal).rounded(2))) return;
	const terms = `quantity × unit_price${line.discount ? " − discount" : ""}${line.surcharge ? " + surcharge" : ""}`;
	warn(findings, "line-product", `${at}/subtotal`, `${terms} is ${product.toFixed(2)}, subtotal is ${line.subtotal}.`);
}

/** A special-regime invoice is exempt. A rate of zero agrees with that; a higher one contradicts the type. */
export function readIndicator(
	findings: Findings,
	type: EcfType,
	rate: string | undefined,
	pointer: string,
): TaxIndicator | undefined {
	const declared = rate === undefined ? undefined : INDICATOR_OF_RATE[rate];
	if (carries(type, "TotalITBIS")) return declared;
	if (declared === 1 || declared === 2) {
		fault(findings, "tax-not-allowed-for-type", pointer, "A special-regime invoice carries no ITBIS.");
	}
	return 4;
}

function readCodes(findings: Findings, line: EcfLine, at: string): EcfItemCode[] {
	const given = line.item_code;
	if (given === undefined) return [];
	const isOne = "type" in given;
	const list: readonly EcfItemCode[] = isOne ? [given] : given;
	return list.flatMap(({ type, code }, index) => {
		const pointer = isOne ? `${at}/item_code` : `${at}/item_code/${index}`;
		const fitted = fitText(findings, code.trim(), "CodigoItem", pointer);
		const kind = fitText(findings, type.trim(), "TipoCodigo", pointer);
		if (fitted && kind) return [{ type: kind, code: fitted }];
		warn(findings, "not-in-format", pointer, "Type or code is blank, so the item code is left out.");
		return [];
	});
}

function readWithholding(findings: Findings, type: EcfType, line: EcfLine, at: string): PlannedLine["withholding"] {
	const given = line.withholding ?? (profileOf(type).isPurchase ? { itbis: "0.00", isr: "0.00" } : undefined);
	if (!given) return undefined;
	const itbis = fitDecimal(findings, given.itbis, "MontoITBISRetenido", `${at}/withholding/itbis`);
	const isr = fitDecimal(findings, given.isr, "MontoISRRetenido", `${at}/withholding/isr`);
	if (carries(type, LINE_ELEMENTS.withholding)) return { itbis: itbis.toFixed(2), isr: isr.toFixed(2) };
	if (!itbis.isZero() || !isr.isZero()) {
		const detail = `A ${profileOf(type).name} has no withholding.`;
		fault(findings, "withholding-not-allowed-for-type", `${at}/withholding`, detail);
	}
	return undefined;
}

function readAdditionalTaxes(findings: Findings, type: EcfType, line: EcfLine, at: string): AdditionalTax[] {
	if (line.additional_taxes === undefined) return [];
	return line.additional_taxes.flatMap((tax, index) => {
		const pointer = `${at}/additional_taxes/${index}`;
		const rounded = fitDecimal(findings, tax.amount, "OtrosImpuestosAdicionales", `${pointer}/amount`);
		if (rounded.isZero()) {
			warnOfZeroTax(findings, tax, pointer);
			return [];
		}
		if (!mayCarryAdditionalTax(type, tax.code)) {
			const detail = `A ${profileOf(type).name} does not carry tax ${tax.code}.`;
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
	const detail = `Excise ${code} of 0.00 is left out, because the authority's format allows only amounts above zero.`;
	warn(findings, "excise-zero", `${pointer}/amount`, detail);
}

function readAdditionalRate(findings: Findings, tax: EcfAdditionalTax, pointer: string): Decimal | undefined {
	const text = tax.rate ?? defaultAdditionalRate(tax.code);
	if (text === undefined) {
		const detail = `Send the rate of tax ${tax.code}, which changes each quarter.`;
		fault(findings, "additional-tax-rate-required", `${pointer}/rate`, detail);
		return undefined;
	}
	const rate = fitDecimal(findings, text, "TasaImpuestoAdicional", `${pointer}/rate`);
	if (rate.isZero() || rate.compare(RATE_LIMIT) >= 0) {
		fault(findings, "rate-out-of-range", `${pointer}/rate`, "Must be above 0 and below 1000, with 2 decimals.");
		return undefined;
	}
	return rate;
}

/** The part of a line's additional taxes that is part of the ITBIS base: excise, codes 006 to 039. */
export function exciseOf(draft: LineDraft): Decimal {
	if (draft.additionalTaxes.length === 0) return Decimal.zero;
	return Decimal.sum(
		draft.additionalTaxes.filter((tax) => additionalTaxKind(tax.code) !== "other").map((tax) => tax.amount),
	);
}
