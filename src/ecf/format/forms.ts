/**
 * What the text of an element may be. Source: the authority's e-CF format, October 2025, types and lengths of each field.
 * A number has at most 16 digits before its point; "0" is a value, an empty element is a fault.
 */
export type Form = {
	readonly pattern: RegExp;
	/** Most characters; only where the text is free. */
	readonly charactersMax?: number;
	/** Most decimals; only for numbers. */
	readonly decimals?: number;
};

/** Free text, from one character on, not only white space. */
export const text = (charactersMax: number): Form => ({ pattern: /\S/, charactersMax });

/** A number of at least zero. */
export const decimal = (decimals: number): Form => ({
	pattern: new RegExp(`^\\d{1,16}(\\.\\d{1,${decimals}})?$`),
	decimals,
});
/** A number above zero. */
export const positive = (decimals: number): Form => ({
	pattern: new RegExp(`^(?!0+(\\.0+)?$)\\d{1,16}(\\.\\d{1,${decimals}})?$`),
	decimals,
});
/** A number of either sign. */
export const signed = (decimals: number): Form => ({
	pattern: new RegExp(`^[+-]?\\d{1,16}(\\.\\d{1,${decimals}})?$`),
	decimals,
});
/** The summary wants both decimals wherever there is a point. Source: the authority's RFCE format, version 1.0. */
export const exact = (): Form => ({ pattern: /^\d{1,16}(\.\d{2})?$/, decimals: 2 });
export const digits = (most: number): Form => ({ pattern: new RegExp(`^\\d{1,${most}}$`) });
export const oneOf = (...values: readonly string[]): Form => ({
	pattern: new RegExp(`^(${values.join("|").replaceAll("$", "\\$")})$`),
});

export const VERSION = oneOf("1\\.0");
export const ECF_TYPE = oneOf("31", "32", "33", "34", "41", "44");
export const ENCF: Form = { pattern: /^E\d{12}$/ };
export const DATE: Form = { pattern: /^\d\d-\d\d-\d{4}$/ };
export const DATE_TIME: Form = { pattern: /^\d\d-\d\d-\d{4} \d\d:\d\d:\d\d$/ };
export const TAXPAYER: Form = { pattern: /^\d{9}(\d\d)?$/ };
/** Province, municipality and district, two digits each. */
export const PLACE: Form = { pattern: /^\d{6}$/ };
export const PHONE: Form = { pattern: /^\d{3}-\d{3}-\d{4}$/ };
/** Letters, digits and spaces. */
export const WORDS: Form = { pattern: /^[\w\s]{1,15}$/ };
export const EMAIL: Form = { pattern: /^[^@\s]+@[^@\s]+$/, charactersMax: 80 };
export const INCOME_TYPE: Form = { pattern: /^0[1-6]$/ };
export const UNIT: Form = { pattern: /^([1-9]|[1-5]\d|6[0-2])$/ };
export const ADDITIONAL_TAX: Form = { pattern: /^0(0[1-9]|[12]\d|3\d)$/ };
export const PERCENT: Form = { pattern: /^(?!0+(\.0+)?$)\d{1,3}(\.\d{1,2})?$/, decimals: 2 };
export const EXCHANGE_RATE: Form = { pattern: /^\d{1,3}(\.\d{1,4})?$/, decimals: 4 };
/** Quirk: the table spells the yuan CHY, which is no ISO code. */
export const CURRENCY = oneOf(..."BRL CAD CHF CHY XDR DKK EUR GBP JPY NOK SCP SEK USD VEF HTG MXN COP".split(" "));
export const LINE_NUMBER: Form = { pattern: /^([1-9]\d{0,3}|10000)$/ };
export const SECURITY_CODE: Form = { pattern: /^[A-Za-z0-9+/]{6}$/ };
