/** The source of time, so that a test can set it. */
export type Clock = { readonly now: () => Date };

export const systemClock: Clock = { now: () => new Date() };

/** RFC 3339 with a zone. */

const form = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * The instant that a text names; undefined for another form, for a day that does not exist, and outside the years 1 to 9999 in UTC, which
 * the database writes differently.
 */
export function parseInstant(text: string): Date | undefined {
	const match = form.exec(text);
	const at = new Date(text);
	if (!match || Number.isNaN(at.getTime())) return undefined;
	if (at.getUTCFullYear() < 1 || at.getUTCFullYear() > 9_999) return undefined;
	const [year, month, day] = match.slice(1).map(Number);
	return new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day)).getUTCDate() === day ? at : undefined;
}

/**
 * The authority's wall clock: UTC-4 all year, whatever the machine's time zone. Source: the authority's e-CF format, dates `dd-MM-yyyy` and
 * times `dd-MM-yyyy HH:mm:ss` (24 hours).
 */

const OFFSET_MS = -4 * 3600 * 1000;

function wall(at: Date): Date {
	return new Date(at.getTime() + OFFSET_MS);
}

const two = (n: number) => String(n).padStart(2, "0");

/** `dd-MM-yyyy` of an instant. */
export function toAuthorityDate(at: Date): string {
	const t = wall(at);
	return `${two(t.getUTCDate())}-${two(t.getUTCMonth() + 1)}-${String(t.getUTCFullYear()).padStart(4, "0")}`;
}

/** `dd-MM-yyyy HH:mm:ss` of an instant. */
export function toAuthorityDateTime(at: Date): string {
	const t = wall(at);
	return `${toAuthorityDate(at)} ${two(t.getUTCHours())}:${two(t.getUTCMinutes())}:${two(t.getUTCSeconds())}`;
}

/** `YYYY-MM-DD` of an instant, the form of dates in our own bodies. */
export function toLocalIsoDate(at: Date): string {
	return wall(at).toISOString().slice(0, 10);
}

/** Turns a valid `YYYY-MM-DD` into `dd-MM-yyyy`. */
export function isoToAuthorityDate(iso: string): string {
	return `${iso.slice(8, 10)}-${iso.slice(5, 7)}-${iso.slice(0, 4)}`;
}

/** True for an existing day as `YYYY-MM-DD` between 1900 and 2199. */
export function isIsoDate(text: string): boolean {
	if (!/^(19|20|21)\d\d-\d\d-\d\d$/.test(text)) return false;
	const at = new Date(`${text}T00:00:00Z`);
	return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 10) === text;
}

/** Whole days from one `YYYY-MM-DD` to another. */
export function daysBetween(fromIso: string, toIso: string): number {
	return Math.round((Date.parse(`${toIso}T00:00:00Z`) - Date.parse(`${fromIso}T00:00:00Z`)) / 86_400_000);
}
