/** The written forms of values: numbers, dates, codes. Each is anchored and needs no trimming. */
import { isIsoDate } from "../../../values";

export type Form = { readonly says: string; readonly fits: (text: string) => boolean };

function pattern(says: string, expression: RegExp): Form {
	return { says, fits: (text) => expression.test(text) };
}

const isSomething = (text: string) => /[1-9]/.test(text);

export const AMOUNT = pattern("monto", /^[0-9]{1,16}(\.[0-9]{1,2})?$/);
export const POSITIVE: Form = { says: "monto mayor que cero", fits: (text) => AMOUNT.fits(text) && isSomething(text) };
export const SIGNED_AMOUNT = pattern("monto", /^[+-]?[0-9]{1,16}(\.[0-9]{1,2})?$/);
export const UNIT_PRICE = pattern("precio", /^[0-9]{1,16}(\.[0-9]{1,4})?$/);
/** In a summary a point is followed by exactly two decimals. */
export const SUMMARY_AMOUNT = pattern("monto", /^[0-9]{1,16}(\.[0-9]{2})?$/);
export const SIGNED_SUMMARY_AMOUNT = pattern("monto", /^[+-]?[0-9]{1,16}(\.[0-9]{2})?$/);
export const VERSION = pattern("1.0", /^1(\.0{1,2})?$/);
export const TAXPAYER = pattern("RNC", /^([0-9]{9}|[0-9]{11})$/);
export const ECF_TYPE = pattern("tipo", /^(31|32|33|34|41|43|44|45|46|47)$/);
export const ENCF = pattern("e-NCF", /^E[0-9]{10,12}$/);
export const INCOME_TYPE = pattern("código", /^0[1-6]$/);
export const LINE_NUMBER = pattern("número", /^[1-9][0-9]{0,4}$/);
export const REFERENCE_NUMBER = pattern("NCF", /^[A-Z][0-9A-Z]{10,18}$/);
export const SECURITY_CODE = pattern("código", /^.{6}$/);

export const DATE: Form = { says: "fecha", fits: (text) => toIsoDate(text) !== undefined };
export const DATE_TIME: Form = {
	says: "fecha y hora",
	fits: (text) => DATE.fits(text.slice(0, 10)) && /^ ([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$/.test(text.slice(10)),
};

export function oneOf(...values: string[]): Form {
	return { says: values.join(", "), fits: (text) => values.includes(text) };
}

/** Text of 1 to `most` characters. */
export function text(most: number): Form {
	return { says: `texto de hasta ${most}`, fits: (value) => value.length > 0 && [...value].length <= most };
}

/** Turns `dd-MM-yyyy` into `YYYY-MM-DD`; undefined unless it names a day of the calendar. */
export function toIsoDate(date: string): string | undefined {
	const match = /^([0-9]{2})-([0-9]{2})-([0-9]{4})$/.exec(date);
	if (!match) return undefined;
	const iso = `${match[3]}-${match[2]}-${match[1]}`;
	return isIsoDate(iso) ? iso : undefined;
}
