/** The written forms of values: numbers, dates, codes. Each is anchored and needs no trimming. */
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
export const POSITIVE_SUMMARY_AMOUNT: Form = {
	says: "monto mayor que cero",
	fits: (text) => SUMMARY_AMOUNT.fits(text) && isSomething(text),
};
export const SIGNED_SUMMARY_AMOUNT = pattern("monto", /^[+-]?[0-9]{1,16}(\.[0-9]{2})?$/);
/** Of an e-CF, where it is a number. */
export const VERSION = pattern("1.0", /^1(\.0{1,2})?$/);
/** For summaries, approvals and voids, whose schemas require this spelling. */
export const EXACT_VERSION = pattern("1.0", /^1\.0$/);
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

/** Of additional taxes and rates: at most three digits before the point, and not zero. */
export const PERCENT = nonZero(pattern("porcentaje", /^[0-9]{1,3}(\.[0-9]{1,2})?$/));
export const EXCHANGE_RATE = nonZero(pattern("tasa", /^[0-9]{1,3}(\.[0-9]{1,4})?$/));
export const MEASURE = pattern("cantidad", /^[0-9]{1,16}(\.[0-9]{1,3})?$/);
export const PHONE = pattern("teléfono", /^[0-9]{3}-[0-9]{3}-[0-9]{4}$/);
const MAIL_SHAPE =
	/^[\p{L}\p{N}_]+([-+.][\p{L}\p{N}_]+)*@[\p{L}\p{N}_]+([-.][\p{L}\p{N}_]+)*\.[\p{L}\p{N}_]+([-.][\p{L}\p{N}_]+)*$/u;
export const MAIL: Form = { says: "correo", fits: (text) => text.length <= 80 && MAIL_SHAPE.test(text) };
export const PLACE: Form = { says: "código de provincia o municipio", fits: isPlace };
/** Letters, digits and white space. */
export const WORDS = pattern("texto", /^[\s\p{L}\p{N}_]{1,15}$/u);

/** The number of a line or page, with no more digits than the highest. */
export function numberUpTo(most: number): Form {
	const fits = digits(String(most).length).fits;
	return { says: `1–${most}`, fits: (text) => fits(text) && Number(text) >= 1 && Number(text) <= most };
}

/** The page count of a document whose lines are numbered up to `most`: more than one, limited only by the digits. */
export function pagesOf(most: number): Form {
	const fits = digits(String(most).length).fits;
	return { says: "páginas", fits: (text) => fits(text) && Number(text) > 1 };
}

export function digits(most: number): Form {
	return { says: `hasta ${most} dígitos`, fits: (text) => /^[0-9]+$/.test(text) && text.length <= most };
}

/** Letters, commas and white space. */
export function letters(most: number): Form {
	return { says: "letras", fits: (text) => text.length <= most && /^[a-zA-ZñÑáéíóúÁÉÍÓÚ,\s]*$/.test(text) };
}

function nonZero({ says, fits }: Form): Form {
	return { says: `${says} mayor que cero`, fits: (text) => fits(text) && isSomething(text) };
}

/** Whole numbers in a range, with as many digits as the first. */
export function between(first: string, last: string): Form {
	const fits = (text: string) => /^[0-9]+$/.test(text) && text.length >= first.length && !isPadded(text, first.length);
	return {
		says: `${first}–${last}`,
		fits: (text) => fits(text) && Number(text) >= Number(first) && Number(text) <= Number(last),
	};
}

function isPadded(text: string, width: number): boolean {
	return text.length > width && text.startsWith("0");
}

export function oneOf(...values: string[]): Form {
	return { says: values.join(", "), fits: (text) => values.includes(text) };
}

/** Text of 1 to `most` UTF-16 units. */
export function text(most: number): Form {
	return { says: `texto de hasta ${most}`, fits: (value) => value.length > 0 && value.length <= most };
}

/** Turns `dd-MM-yyyy` into `YYYY-MM-DD`; undefined unless it is a calendar day between 1900 and 2099, as in the schemas. */
export function toIsoDate(date: string): string | undefined {
	const match = /^([0-9]{2})-([0-9]{2})-((?:19|20)[0-9]{2})$/.exec(date);
	if (!match) return undefined;
	const [, day, month, year] = match.map(Number);
	const at = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day));
	return at.getUTCMonth() + 1 === month && at.getUTCDate() === day ? `${match[3]}-${match[2]}-${match[1]}` : undefined;
}

/** A line for each province from 01 on: the highest district of each municipality, starting with 00, the province itself. */
const HIGHEST_DISTRICTS: readonly string[] = [
	"0 1",
	"0 9 2 3 5 1 4 2 4 1 1",
	"1 2 2 7 1 2",
	"0 4 1 2 2 4 1 2 2 1 1 2",
	"0 2 3 1 1 2",
	"0 5 3 1 1 5 1 2",
	"0 3 3 2 2 2 1",
	"0 4 3",
	"0 9 1 4 1",
	"0 3 2 1 2 2 2",
	"0 4 3",
	"0 2 1 2",
	"0 5 3 3 2",
	"0 4 3 2 1",
	"0 1 2 4 1 2 1",
	"0 2 2",
	"0 10 3 1",
	"0 3 2 1 1 2 4 3 4 1",
	"0 2 2 1",
	"0 4 1 1",
	"0 3 1 3 2 4 2 1 1",
	"0 11 3 3 2 3 2",
	"0 1 3 1 1 1 1",
	"0 6 2 1 4",
	"0 7 1 3 2 4 2 3 3 1 1",
	"0 1 1 1",
	"0 4 5 4",
	"0 6 1 3",
	"0 4 1 3 3 1",
	"0 4 2 1",
	"0 5 1 1",
	"0 2 1 2 2 2 3 3",
];
/** Gaps of the enumeration within those limits. */
const ABSENT = ["030100", "250103", "290401"];

export function isPlace(code: string): boolean {
	const [, province, municipality, district] = /^([0-9]{2})([0-9]{2})([0-9]{2})$/.exec(code) ?? [];
	const highest = HIGHEST_DISTRICTS[Number(province) - 1]?.split(" ")[Number(municipality)];
	return highest !== undefined && Number(district) <= Number(highest) && !ABSENT.includes(code);
}
