/**
 * What stands beside the total: items that are not billed, the balance of earlier documents, what was paid in advance, and the amount due.
 *
 * MontoPeriodo = MontoTotal + MontoNoFacturable. ValorPagar = MontoTotal + SaldoAnterior − MontoAvancePago; withholdings change neither. Source: the
 * authority's e-CF format, October 2025.
 */
import { msg } from "../../platform/problem";
import { Decimal } from "../../platform/values";
import { carries, charactersMax } from "../format";
import { type EcfType, profileOf } from "../types";
import { toFormatUnit } from "./codes";
import { cutText, type Findings, fault, fitDecimal, fitText, isPrintable, warn } from "./findings";
import type { EcfInvoice, EcfNonBillableLine } from "./invoice-request";
import type { PlannedLine } from "./plan-lines";

/** IndicadorFacturacion 0: not billed, so no tax applies. */
export type PlannedNonBillableLine = Omit<PlannedLine, "indicator"> & { readonly indicator: 0 };

export type PlannedBalance = {
	/** MontoNoFacturable; present if there are such items, like MontoPeriodo. */
	readonly nonBillable?: string;
	/** MontoPeriodo. */
	readonly period?: string;
	readonly priorBalance?: string;
	readonly advance?: string;
	/** ValorPagar; present if there is a prior balance or an advance. May be negative. */
	readonly payable?: string;
};

/** The items that are not billed, numbered after the lines. */
export function readNonBillableLines(
	findings: Findings,
	type: EcfType,
	invoice: EcfInvoice,
): readonly PlannedNonBillableLine[] {
	const given = invoice.non_billable_lines ?? [];
	if (given.length > 0 && !carries(type, "MontoNoFacturable")) {
		const detail = msg`A ${profileOf(type).name} has no items that are not billed.`;
		fault(findings, "not-allowed-for-type", "/non_billable_lines", detail);
		return [];
	}
	return given.map((line, index) => readLine(findings, line, index, invoice.lines.length));
}

function readLine(findings: Findings, line: EcfNonBillableLine, index: number, before: number): PlannedNonBillableLine {
	const at = `/non_billable_lines/${index}`;
	const quantity = fitDecimal(findings, line.quantity, "CantidadItem", `${at}/quantity`);
	if (quantity.isZero()) {
		fault(findings, "quantity-zero", `${at}/quantity`, msg`Is zero when rounded to the format's 2 decimals.`);
	}
	const unitPrice = fitDecimal(findings, line.unit_price, "PrecioUnitarioItem", `${at}/unit_price`);
	const amount = fitDecimal(findings, line.amount, "MontoItem", `${at}/amount`);
	const product = Decimal.of(line.quantity).times(Decimal.of(line.unit_price)).rounded(2);
	if (!product.equals(amount)) {
		const detail = msg`quantity × unit_price is ${product.toFixed(2)}, amount is ${line.amount}.`;
		warn(findings, "line-product", `${at}/amount`, detail);
	}
	const name = cutText(line.description.trim(), charactersMax("NombreItem")).trimEnd();
	const description = fitText(findings, line.description, "DescripcionItem", `${at}/description`);
	if (name === "") fault(findings, "description-empty", `${at}/description`, msg`Must not be blank.`);
	return {
		number: before + index + 1,
		indicator: 0,
		codes: [],
		name,
		description,
		isService: false,
		quantity: quantity.toFixed(2),
		unit: line.unit === undefined ? undefined : toFormatUnit(line.unit),
		unitPrice: unitPrice.toShortest(2),
		additionalTaxes: [],
		amount: amount.toFixed(2),
	};
}

export function planBalance(
	findings: Findings,
	invoice: EcfInvoice,
	pesos: {
		readonly nonBillableLines: readonly PlannedNonBillableLine[];
		readonly totals: { readonly total: string };
	},
	toPesos: (amounts: readonly Decimal[]) => readonly Decimal[],
): PlannedBalance {
	const { prior_balance, advance } = invoice;
	const { nonBillableLines } = pesos;
	const { total } = pesos.totals;
	const read = (text: string | undefined, element: string, pointer: string) =>
		text === undefined ? undefined : toPesos([fitDecimal(findings, text, element, pointer)])[0];
	const prior = read(prior_balance, "SaldoAnterior", "/prior_balance");
	const paid = read(advance, "MontoAvancePago", "/advance");
	const nonBillable = Decimal.sum(nonBillableLines.map(({ amount }) => Decimal.of(amount)));
	const period = Decimal.of(total).plus(nonBillable);
	const payable = Decimal.of(total)
		.plus(prior ?? Decimal.zero)
		.minus(paid ?? Decimal.zero);
	const isDue = prior !== undefined || paid !== undefined;
	const tooLarge = (pointer: string) =>
		fault(findings, "amount-too-large", pointer, msg`With the total, the sum has more than 16 integer digits.`);
	if (nonBillableLines.length > 0 && !isPrintable(period)) tooLarge("/non_billable_lines");
	if (isDue && !isPrintable(payable)) tooLarge(prior === undefined ? "/advance" : "/prior_balance");
	return {
		...(nonBillableLines.length > 0 ? { nonBillable: nonBillable.toFixed(2), period: period.toFixed(2) } : {}),
		priorBalance: prior?.toFixed(2),
		advance: paid?.toFixed(2),
		...(isDue ? { payable: payable.toFixed(2) } : {}),
	};
}
