/** How the tables of the authority's document formats are written down. */
import { ECF_TYPES, type EcfType } from "../types";

/**
 * M mandatory, C conditional, O optional. Inside a parent that may be left out, mandatory means "when the parent is present".
 * Source: the authority's formats, obligation codes 1 to 3; code 0 is no entry.
 */
type Presence = "M" | "C" | "O";

/** A type that is not listed does not carry the element. */
export type PresenceByType = Readonly<Partial<Record<EcfType, Presence>>>;

export type Element = {
	readonly name: string;
	readonly presence: PresenceByType;
	/** How often it may occur in its parent, by type. */
	readonly most: (type: EcfType) => number;
	/** The form of its text; absent if it has children. */
	readonly form?: Form;
	/** In document order. */
	readonly children: readonly Element[];
};

/** A row of a table: an element with its form or its children, and how often it may occur if more than once. */
export function element(
	name: string,
	presence: PresenceByType,
	content: Form | readonly Element[],
	most: number | Element["most"] = 1,
): Element {
	return {
		name,
		presence,
		most: typeof most === "number" ? () => most : most,
		...("pattern" in content ? { form: content, children: [] } : { children: content }),
	};
}

/** The same presence in all six types. */
export const MANDATORY: PresenceByType = { 31: "M", 32: "M", 33: "M", 34: "M", 41: "M", 44: "M" };
export const CONDITIONAL: PresenceByType = { 31: "C", 32: "C", 33: "C", 34: "C", 41: "C", 44: "C" };
export const OPTIONAL: PresenceByType = { 31: "O", 32: "O", 33: "O", 34: "O", 41: "O", 44: "O" };

/** The same presence in all types but these. */
export function without(presence: PresenceByType, ...types: readonly (keyof PresenceByType)[]): PresenceByType {
	return Object.fromEntries(Object.entries(presence).filter(([type]) => !types.some((one) => one === type)));
}

/**
 * The form of an element's text. Source: the authority's e-CF format, October 2025, types and lengths of each field. A number has at most 16 digits
 * before its point. "0" is a value; an empty element is an error.
 */
export type Form = {
	readonly pattern: RegExp;
	/** Maximum length in UTF-16 units, as the authority's software counts; only for free text. */
	readonly charactersMax?: number;
	/** Maximum number of decimals; only for numbers. */
	readonly decimals?: number;
};

/** Free text with at least one character that is not white space. */
export const text = (charactersMax: number): Form => ({ pattern: /\S/, charactersMax });

/** A number of at least zero. */
export const decimal = (decimals: number): Form => ({
	pattern: new RegExp(`^\\d{1,16}(\\.\\d{1,${decimals}})?$`),
	decimals,
});
export const positive = (decimals: number): Form => ({
	pattern: new RegExp(`^(?!0+(\\.0+)?$)\\d{1,16}(\\.\\d{1,${decimals}})?$`),
	decimals,
});
export const signed = (decimals: number): Form => ({
	pattern: new RegExp(`^[+-]?\\d{1,16}(\\.\\d{1,${decimals}})?$`),
	decimals,
});
/** The summary requires both decimals if there is a point. Source: the authority's RFCE format, version 1.0. */
export const exact = (): Form => ({ pattern: /^\d{1,16}(\.\d{2})?$/, decimals: 2 });
export const digits = (most: number): Form => ({ pattern: new RegExp(`^\\d{1,${most}}$`) });
export const oneOf = (...values: readonly string[]): Form => ({
	pattern: new RegExp(`^(${values.join("|").replaceAll("$", "\\$")})$`),
});

export const VERSION = oneOf("1\\.0");
export const ECF_TYPE = oneOf(...ECF_TYPES);
export const ENCF: Form = { pattern: /^E\d{12}$/ };
export const DATE: Form = { pattern: /^\d\d-\d\d-\d{4}$/ };
export const DATE_TIME: Form = { pattern: /^\d\d-\d\d-\d{4} \d\d:\d\d:\d\d$/ };
export const TAXPAYER: Form = { pattern: /^\d{9}(\d\d)?$/ };
/** Province, municipality and district, two digits each. */
export const PLACE: Form = { pattern: /^\d{6}$/ };
export const PHONE: Form = { pattern: /^\d{3}-\d{3}-\d{4}$/ };
/** Letters, digits and spaces. */
export const WORDS: Form = { pattern: /^[\s\p{L}\p{N}_]{1,15}$/u };
export const EMAIL: Form = { pattern: /^[^@\s]+@[^@\s]+$/, charactersMax: 80 };
export const INCOME_TYPE: Form = { pattern: /^0[1-6]$/ };
export const UNIT: Form = { pattern: /^([1-9]|[1-5]\d|6[0-2])$/ };
export const ADDITIONAL_TAX: Form = { pattern: /^0(0[1-9]|[12]\d|3\d)$/ };
export const PERCENT: Form = { pattern: /^(?!0+(\.0+)?$)\d{1,3}(\.\d{1,2})?$/, decimals: 2 };
export const EXCHANGE_RATE: Form = { pattern: /^\d{1,3}(\.\d{1,4})?$/, decimals: 4 };
/** Currencies that can be shown beside the peso. Quirk: the table spells the yuan CHY, which is no ISO code. */
export const FORMAT_CURRENCIES = "BRL CAD CHF CHY XDR DKK EUR GBP JPY NOK SCP SEK USD VEF HTG MXN COP".split(" ");
export const CURRENCY = oneOf(...FORMAT_CURRENCIES);
export const LINE_NUMBER: Form = { pattern: /^([1-9]\d{0,3}|10000)$/ };
export const SECURITY_CODE: Form = { pattern: /^[A-Za-z0-9+/]{6}$/ };
