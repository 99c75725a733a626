/** Code lists of the e-CF. Source: the authority's e-CF format, October 2025, code tables. */
import { Decimal } from "../../platform/values";
import { FORMAT_CURRENCIES } from "../format";
import { type EcfType, profileOf } from "../types";

/** How a line is taxed: 1 ITBIS 18 %, 2 ITBIS 16 %, 3 ITBIS 0 %, 4 exempt. */
export type TaxIndicator = 1 | 2 | 3 | 4;
export const TAX_INDICATORS: readonly TaxIndicator[] = [1, 2, 3, 4];

/** The values of `tax_rate`. */
export const INDICATOR_OF_RATE: Readonly<Record<string, TaxIndicator>> = { "18": 1, "16": 2, "0": 3, exempt: 4 };

/** ITBIS as a factor. */
export const ITBIS: Readonly<Record<TaxIndicator, Decimal>> = {
	1: Decimal.of("0.18"),
	2: Decimal.of("0.16"),
	3: Decimal.zero,
	4: Decimal.zero,
};

const ONE = Decimal.of("1");
const GROSS: Readonly<Record<TaxIndicator, Decimal>> = {
	1: ONE.plus(ITBIS[1]),
	2: ONE.plus(ITBIS[2]),
	3: ONE,
	4: ONE,
};

/** An amount with ITBIS is this times the amount without. */
export const grossFactor = (indicator: TaxIndicator): Decimal => GROSS[indicator];

export const PAYMENT_TERMS: Readonly<Record<string, string>> = { cash: "1", credit: "2", free: "3" };

/** The format's spelling of an ISO 4217 code; undefined if the format does not have the currency. */
export function toFormatCurrency(iso: string): string | undefined {
	const code = iso === "CNY" ? "CHY" : iso;
	return FORMAT_CURRENCIES.includes(code) ? code : undefined;
}

const UNITS_MAX = 62;

/** A unit of measure as the format numbers it, 1 to 62, without leading zeros; undefined for any other text. */
export function toFormatUnit(unit: string): string | undefined {
	const number = /^0?\d{1,2}$/.test(unit) ? Number(unit) : 0;
	return number >= 1 && number <= UNITS_MAX ? String(number) : undefined;
}

/** The element that holds the amount of an additional tax. */
export type AdditionalTaxKind = "specific" | "ad-valorem" | "other";

/** Rates that the format fixes, in percent. The specific taxes, 006 to 022, are amounts that change each quarter. */
const FIXED_RATES: Readonly<Record<string, string>> = {
	"001": "10",
	"002": "2",
	"003": "16",
	"004": "10",
	"005": "17",
};
const AD_VALOREM_ALCOHOL = "10";
const AD_VALOREM_TOBACCO = "20";

/** The tip of restaurants and hotels, in percent of what is sold. */
export const LEGAL_TIP = { code: "001", rate: Decimal.of("10") } as const;

export function additionalTaxKind(code: string): AdditionalTaxKind {
	const number = Number(code);
	return number <= 5 ? "other" : number <= 22 ? "specific" : "ad-valorem";
}

/** The rate to print if the request has none; undefined if only the issuer knows it. */
export function defaultAdditionalRate(code: string): string | undefined {
	const number = Number(code);
	if (number <= 5) return FIXED_RATES[code];
	if (number <= 22) return undefined;
	return number <= 35 ? AD_VALOREM_ALCOHOL : AD_VALOREM_TOBACCO;
}

export function mayCarryAdditionalTax(type: EcfType, code: string): boolean {
	const { additionalTaxes } = profileOf(type);
	return additionalTaxes === "all" || (additionalTaxes === "on-services" && additionalTaxKind(code) === "other");
}
