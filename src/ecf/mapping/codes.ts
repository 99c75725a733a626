/** Code lists of the e-CF, provinces and municipalities included. Source: the authority's e-CF format, October 2025, code tables. */
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

/**
 * Place codes have six digits, two for each level; 00 stands for the whole. For each municipality of a province, from 01 on: the number of its
 * districts.
 */
const DISTRICTS: Readonly<Record<string, readonly number[]>> = {
	"01": [1],
	"02": [9, 2, 3, 5, 1, 4, 2, 4, 1, 1],
	"03": [2, 2, 7, 1, 2],
	"04": [4, 1, 2, 2, 4, 1, 2, 2, 1, 1, 2],
	"05": [2, 3, 1, 1, 2],
	"06": [5, 3, 1, 1, 5, 1, 2],
	"07": [3, 3, 2, 2, 2, 1],
	"08": [4, 3],
	"09": [9, 1, 4, 1],
	"10": [3, 2, 1, 2, 2, 2],
	"11": [4, 3],
	"12": [2, 1, 2],
	"13": [5, 3, 3, 2],
	"14": [4, 3, 2, 1],
	"15": [1, 2, 4, 1, 2, 1],
	"16": [2, 2],
	"17": [10, 3, 1],
	"18": [3, 2, 1, 1, 2, 4, 3, 4, 1],
	"19": [2, 2, 1],
	"20": [4, 1, 1],
	"21": [3, 1, 3, 2, 4, 2, 1, 1],
	"22": [11, 3, 3, 2, 3, 2],
	"23": [1, 3, 1, 1, 1, 1],
	"24": [6, 2, 1, 4],
	"25": [7, 1, 3, 2, 4, 2, 3, 3, 1, 1],
	"26": [1, 1, 1],
	"27": [4, 5, 4],
	"28": [6, 1, 3],
	"29": [4, 1, 3, 3, 1],
	"30": [4, 2, 1],
	"31": [5, 1, 1],
	"32": [2, 1, 2, 2, 2, 3, 3],
};
/** Quirk: codes that the table lacks, and one municipality that it spells 030001 instead of 030100. */
const MISSING: ReadonlySet<string> = new Set(["030100", "250103", "290401"]);
const MISSPELT = "030001";

/** True for a place code of the authority's table. */
export function isPlaceCode(code: string): boolean {
	const [, province = "", municipality = "", district = ""] = /^(\d\d)(\d\d)(\d\d)$/.exec(code) ?? [];
	const municipalities = DISTRICTS[province];
	if (!municipalities || MISSING.has(code)) return false;
	if (municipality === "00") return district === "00" || code === MISSPELT;
	const districts = municipalities[Number(municipality) - 1];
	return districts !== undefined && Number(district) <= districts;
}
