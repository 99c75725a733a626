/** The lines of the request as Items of the e-CF, without the tax indicator, which depends on the whole document. */
import { msg } from "../../platform/problem";
import { Decimal } from "../../platform/values";
import { carries, charactersMax, decimalsMax } from "../format";
import { type EcfType, profileOf } from "../types";
import { grossFactor, INDICATOR_OF_RATE, type TaxIndicator, toFormatUnit } from "./codes";
import { cutText, type Findings, fault, fitDecimal, fitText, warn } from "./findings";
import type { EcfInvoice, EcfItemCode, EcfLine } from "./invoice-request";
import {
	type AdditionalTax,
	type PlannedExcise,
	readAdditionalTaxes,
	readExcise,
	readLegalTip,
	withLegalTip,
} from "./line-taxes";

/** The amounts of a line as an Item states them. */
export type LineAmounts = {
	readonly unitPrice: string;
	readonly discount?: string;
	readonly surcharge?: string;
	/** MontoItem. */
	readonly amount: string;
};

/** Its own amounts are without ITBIS. */
export type PlannedLine = LineAmounts & {
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
	/** With ITBIS: the Item states these in place of the others. Either all lines of a document have it or none. */
	readonly gross?: LineAmounts;
	readonly excise?: PlannedExcise;
	readonly additionalTaxes: readonly string[];
	readonly withholding?: { readonly itbis: string; readonly isr: string };
};

export type LineDraft = {
	readonly line: Omit<PlannedLine, "indicator">;
	/** Price and amount with ITBIS; discount and surcharge as they are sent, without it. */
	readonly gross?: {
		readonly unitPrice: Decimal;
		readonly amount: Decimal;
		readonly discount: Decimal | undefined;
		readonly surcharge: Decimal | undefined;
	};
	/** Without ITBIS, rounded. */
	readonly amount: Decimal;
	/** The part of the base that it makes. */
	readonly exact: Decimal;
	readonly declared?: TaxIndicator;
	readonly additionalTaxes: readonly AdditionalTax[];
};

/** The element that states each member of a request's line. A member that is missing here does not compile. */
export const LINE_ELEMENTS = {
	line_number: "NumeroLinea",
	description: "DescripcionItem",
	quantity: "CantidadItem",
	unit_price: "PrecioUnitarioItem",
	subtotal: "MontoItem",
	gross_unit_price: "PrecioUnitarioItem",
	gross_subtotal: "MontoItem",
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
	excise: "CantidadReferencia",
} as const satisfies Record<keyof EcfLine, string>;

const CENT = Decimal.of("0.01");
/** Decimals of an amount without ITBIS that is computed from one with it. */
const EXACT_DECIMALS = 8;

export function readLines(findings: Findings, type: EcfType, invoice: EcfInvoice): LineDraft[] {
	checkGrossPrices(findings, type, invoice.lines);
	const tip = readLegalTip(findings, type, invoice);
	return invoice.lines.map((line, index) => readLine(findings, type, line, index, tip));
}

function readLine(
	findings: Findings,
	type: EcfType,
	line: EcfLine,
	index: number,
	tip: AdditionalTax | undefined,
): LineDraft {
	const at = `/lines/${index}`;
	const quantity = fitDecimal(findings, line.quantity, LINE_ELEMENTS.quantity, `${at}/quantity`);
	if (quantity.isZero()) {
		fault(findings, "quantity-zero", `${at}/quantity`, msg`Is zero when rounded to the format's 2 decimals.`);
	}
	const declared = readIndicator(findings, type, line.tax_rate, `${at}/tax_rate`) ?? findRateOfGross(line);
	const gross = readGross(findings, line, declared, at);
	// Amounts with ITBIS are printed in place of these, whose rounding then loses nothing.
	const fit = (text: string, element: string, pointer: string) =>
		gross ? Decimal.of(text).rounded(decimalsMax(element)) : fitDecimal(findings, text, element, pointer);
	const unitPrice = fit(line.unit_price, LINE_ELEMENTS.unit_price, `${at}/unit_price`);
	const discount = readPositive(fit, line.discount, LINE_ELEMENTS.discount, `${at}/discount`);
	const surcharge = readPositive(fit, line.surcharge, LINE_ELEMENTS.surcharge, `${at}/surcharge`);
	const amount = fit(line.subtotal, LINE_ELEMENTS.subtotal, `${at}/subtotal`);
	if (!gross) checkProduct(findings, line, at);

	// The name is the beginning of the description, which follows in full, so the cut loses nothing.
	const name = cutText(line.description.trim(), charactersMax("NombreItem")).trimEnd();
	const description = fitText(findings, line.description, LINE_ELEMENTS.description, `${at}/description`);
	if (name === "") {
		fault(findings, "description-empty", `${at}/description`, msg`Must not be blank.`);
	}
	const unit = line.unit === undefined ? undefined : toFormatUnit(line.unit);
	if (line.unit !== undefined && !unit) {
		fault(findings, "unit-unknown", `${at}/unit`, msg`Send a code of the authority's unit table, 1 to 62.`);
	}
	const ownTaxes = readAdditionalTaxes(findings, type, line, at);
	const additionalTaxes = tip ? withLegalTip(findings, type, ownTaxes, tip, index) : ownTaxes;
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
			excise: readExcise(findings, type, line, at),
			additionalTaxes: additionalTaxes.map((tax) => tax.code),
			withholding: readWithholding(findings, type, line, at),
			amount: amount.toFixed(2),
		},
		...(gross ? { gross } : {}),
		amount,
		exact:
			gross && declared ? gross.amount.dividedBy(grossFactor(declared), EXACT_DECIMALS) : Decimal.of(line.subtotal),
		declared,
		additionalTaxes,
	};
}

/** The line as it is planned, once its rate is known. */
export function rateLine({ line, gross }: LineDraft, indicator: TaxIndicator): PlannedLine {
	if (!gross) return { ...line, indicator };
	const withTax = (amount: Decimal | undefined) => {
		const taxed = amount?.times(grossFactor(indicator)).rounded(2);
		return taxed?.isZero() ? undefined : taxed?.toFixed(2);
	};
	return {
		...line,
		indicator,
		gross: {
			unitPrice: gross.unitPrice.toShortest(2),
			discount: withTax(gross.discount),
			surcharge: withTax(gross.surcharge),
			amount: gross.amount.toFixed(2),
		},
	};
}

/** The part of its base that a planned line makes: without ITBIS. */
export function baseOfLine({ gross, amount, indicator }: PlannedLine): Decimal {
	if (!gross) return Decimal.of(amount);
	return Decimal.of(gross.amount).dividedBy(grossFactor(indicator), EXACT_DECIMALS);
}

/** A document states all its prices with ITBIS or none. */
function checkGrossPrices(findings: Findings, type: EcfType, lines: readonly EcfLine[]): void {
	const isGiven = (line: EcfLine) => line.gross_unit_price !== undefined || line.gross_subtotal !== undefined;
	const first = lines.findIndex(isGiven);
	if (first < 0) return;
	if (!carries(type, "IndicadorMontoGravado")) {
		const detail = msg`The prices of a ${profileOf(type).name} include no ITBIS.`;
		fault(findings, "not-allowed-for-type", `/lines/${first}/gross_unit_price`, detail);
		return;
	}
	for (const member of ["gross_unit_price", "gross_subtotal"] as const) {
		const without = lines.findIndex((line) => line[member] === undefined);
		if (without < 0) continue;
		const detail = msg`Send gross_unit_price and gross_subtotal on every line or on none.`;
		fault(findings, "gross-price-mixed", `/lines/${without}/${member}`, detail);
		return;
	}
}

/** The only rate that leads from the amount without ITBIS to the amount with it; undefined if none or several do. */
function findRateOfGross({ subtotal, gross_subtotal }: EcfLine): TaxIndicator | undefined {
	if (gross_subtotal === undefined) return undefined;
	const fitting = ([1, 2, 4] as const).filter((indicator) => isGrossOf(gross_subtotal, subtotal, indicator));
	return fitting.length === 1 ? fitting[0] : undefined;
}

function isGrossOf(gross: string, net: string, indicator: TaxIndicator): boolean {
	return Decimal.of(net).times(grossFactor(indicator)).minus(Decimal.of(gross)).abs().compare(CENT) <= 0;
}

function readGross(
	findings: Findings,
	line: EcfLine,
	declared: TaxIndicator | undefined,
	at: string,
): LineDraft["gross"] {
	const { gross_unit_price: price, gross_subtotal: subtotal } = line;
	if (price === undefined || subtotal === undefined) return undefined;
	const unitPrice = fitDecimal(findings, price, LINE_ELEMENTS.gross_unit_price, `${at}/gross_unit_price`);
	const amount = fitDecimal(findings, subtotal, LINE_ELEMENTS.gross_subtotal, `${at}/gross_subtotal`);
	const factor = grossFactor(declared ?? 4);
	if (declared && !isGrossOf(subtotal, line.subtotal, declared)) {
		const expected = Decimal.of(line.subtotal).times(factor).toFixed(2);
		findings.warnings.push({
			code: "gross-price-differs",
			pointer: `${at}/gross_subtotal`,
			detail: `subtotal with its ITBIS is ${expected}, gross_subtotal is ${subtotal}.`,
			detailEs: `subtotal con su ITBIS es ${expected}, gross_subtotal es ${subtotal}.`,
		});
	}
	const net = Decimal.of(line.surcharge ?? "0").minus(Decimal.of(line.discount ?? "0"));
	const product = Decimal.of(line.quantity).times(Decimal.of(price)).plus(net.times(factor));
	if (product.minus(amount).abs().compare(CENT) > 0) {
		const detail = msg`quantity × gross_unit_price, with discount and surcharge, is ${product.toFixed(2)}, gross_subtotal is ${subtotal}.`;
		warn(findings, "line-product", `${at}/gross_subtotal`, detail);
	}
	const read = (text: string | undefined) => (text === undefined ? undefined : Decimal.of(text));
	return { unitPrice, amount, discount: read(line.discount), surcharge: read(line.surcharge) };
}

function readPositive(
	fit: (text: string, element: string, pointer: string) => Decimal,
	text: string | undefined,
	element: string,
	pointer: string,
): Decimal | undefined {
	if (text === undefined) return undefined;
	const amount = fit(text, element, pointer);
	return amount.isZero() ? undefined : amount;
}

/** Compared to the cent, because both are printed. */
function checkProduct(findings: Findings, line: EcfLine, at: string): void {
	let product = Decimal.of(line.quantity).times(Decimal.of(line.unit_price));
	if (line.discount !== undefined) product = product.minus(Decimal.of(line.discount));
	if (line.surcharge !== undefined) product = product.plus(Decimal.of(line.surcharge));
	if (product.rounded(2).equals(Decimal.of(line.subtotal).rounded(2))) return;
	const terms = `quantity × unit_price${line.discount ? " − discount" : ""}${line.surcharge ? " + surcharge" : ""}`;
	warn(
		findings,
		"line-product",
		`${at}/subtotal`,
		msg`${terms} is ${product.toFixed(2)}, subtotal is ${line.subtotal}.`,
	);
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
		fault(findings, "tax-not-allowed-for-type", pointer, msg`A special-regime invoice carries no ITBIS.`);
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
		warn(findings, "not-in-format", pointer, msg`Type or code is blank, so the item code is left out.`);
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
		const detail = msg`A ${profileOf(type).name} has no withholding.`;
		fault(findings, "withholding-not-allowed-for-type", `${at}/withholding`, detail);
	}
	return undefined;
}
