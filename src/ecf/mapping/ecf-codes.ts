/** Code lists of the e-CF. Source: the authority's e-CF format, October 2025, code tables. */
import { Decimal } from "../../platform/values";
import type { EcfType } from "./ecf-type";

/** How a line is taxed: 1 ITBIS 18 %, 2 ITBIS 16 %, 3 ITBIS 0 %, 4 exempt. */
export type TaxIndicator = 1 | 2 | 3 | 4;
export const TAX_INDICATORS: readonly TaxIndicator[] = [1, 2, 3, 4];

/** The words of `tax_rate`. */
export const INDICATOR_OF_RATE: Readonly<Record<string, TaxIndicator>> = { "18": 1, "16": 2, "0": 3, exempt: 4 };

/** ITBIS as a factor. */
export const ITBIS: Readonly<Record<TaxIndicator, Decimal>> = {
	1: Decimal.of("0.18"),
	2: Decimal.of("0.16"),
	3: Decimal.zero,
	4: Decimal.zero,
};

export const PAYMENT_TERMS: Readonly<Record<string, string>> = { cash: "1", credit: "2", free: "3" };

/** Currencies that can stand beside the peso. Quirk: the table spells the yuan CHY, which is no ISO code. */
const CURRENCIES: ReadonlySet<string> = new Set(
	"BRL CAD CHF CHY XDR DKK EUR GBP JPY NOK SCP SEK USD VEF HTG MXN COP".split(" "),
);

/** The table's spelling of an ISO 4217 code; undefined when the table has no such currency. */
export function toFormatCurrency(iso: string): string | undefined {
	const code = iso === "CNY" ? "CHY" : iso;
	return CURRENCIES.has(code) ? code : undefined;
}

const UNITS_MAX = 62;

/** A unit of measure as the table numbers it, 1 to 62, without leading zeros; undefined for another. */
export function toFormatUnit(unit: string): string | undefined {
	const number = /^0?\d{1,2}$/.test(unit) ? Number(unit) : 0;
	return number >= 1 && number <= UNITS_MAX ? String(number) : undefined;
}

/** In which element the amount of a tax besides ITBIS stands. */
export type AdditionalTaxKind = "specific" | "ad-valorem" | "other";

/** Rates that the table fixes, in percent. The specific taxes, 006 to 022, are amounts that change each quarter. */
const FIXED_RATES: Readonly<Record<string, string>> = {
	"001": "10",
	"002": "2",
	"003": "16",
	"004": "10",
	"005": "17",
};
const AD_VALOREM_ALCOHOL = "10";
const AD_VALOREM_TOBACCO = "20";

export function additionalTaxKind(code: string): AdditionalTaxKind {
	const number = Number(code);
	return number <= 5 ? "other" : number <= 22 ? "specific" : "ad-valorem";
}

/** The rate to print when the request names none; undefined where only the issuer knows it. */
export function defaultAdditionalRate(code: string): string | undefined {
	const number = Number(code);
	if (number <= 5) return FIXED_RATES[code];
	if (number <= 22) return undefined;
	return number <= 35 ? AD_VALOREM_ALCOHOL : AD_VALOREM_TOBACCO;
}

/** Taxes besides ITBIS that a type may carry: none for 41, services alone for 44. */
export function mayCarryAdditionalTax(type: EcfType, code: string): boolean {
	if (type === "41") return false;
	return type !== "44" || additionalTaxKind(code) === "other";
}
