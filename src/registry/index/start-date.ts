/**
 * When a taxpayer started to operate, as a 16-bit day: 1 is 1900-01-01, 65,535 is 2079-06-05, and 0 stands for an unknown or impossible
 * date, such as the source's `00/00/0000`.
 */

const DAY_MS = 86_400_000;
const DAY_ZERO = Date.UTC(1899, 11, 31) / DAY_MS;
const DAY_MAX = 0xffff;
const ZERO = 0x30;
const SLASH = 0x2f;
const SPACE = 0x20;
/** `DD/MM/YYYY`. */
const WRITTEN_BYTES = 10;

/** The day of a cell, which may have spaces around it. */
export function dayOfBytes(source: Uint8Array, start: number, end: number): number {
	let from = start;
	let to = end;
	while (from < to && source[from] === SPACE) from++;
	while (to > from && source[to - 1] === SPACE) to--;
	if (to - from !== WRITTEN_BYTES || source[from + 2] !== SLASH || source[from + 5] !== SLASH) return 0;
	const date = numberAt(source, from, 2);
	const month = numberAt(source, from + 3, 2);
	const year = numberAt(source, from + 6, 4);
	return month < 1 || month > 12 || date < 1 || date > daysOf(month, year) ? 0 : toDay(year, month, date);
}

export function dayOfText(cell: string): number {
	const bytes = Buffer.from(cell);
	return dayOfBytes(bytes, 0, bytes.length);
}

/** Negative, or out of any range, if other characters than digits are there. */
function numberAt(source: Uint8Array, at: number, digits: number): number {
	let value = 0;
	for (let i = at; i < at + digits; i++) {
		const digit = (source[i] ?? 0) - ZERO;
		if (digit < 0 || digit > 9) return -1;
		value = value * 10 + digit;
	}
	return value;
}

function daysOf(month: number, year: number): number {
	if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
	return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** In integers, because every line of a source has a date. Of the years in range, 1900 alone is divisible by 4 and no leap year. */
function toDay(year: number, month: number, date: number): number {
	if (year < 1900 || year > 2079) return 0;
	const passed = year - 1900;
	const isLeap = (year & 3) === 0 && year !== 1900;
	const leapDays = passed > 0 ? (passed - 1) >> 2 : 0;
	const day = passed * 365 + leapDays + (daysBefore[month - 1] ?? 0) + (isLeap && month > 2 ? 1 : 0) + date;
	return day > DAY_MAX ? 0 : day;
}

const daysBefore = Uint16Array.of(0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334);

/** RFC 3339, such as `2014-02-03`; undefined for day 0. */
export function dateOfDay(day: number): string | undefined {
	return day === 0 ? undefined : new Date((DAY_ZERO + day) * DAY_MS).toISOString().slice(0, 10);
}
