/** Moments in bodies: RFC 3339, with the zone told. */

const form = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * The moment that a text names; undefined for another form, for a day that its month does not have, and in UTC outside the years 1 to 9999: the
 * database has no year 0, and later ones are written otherwise.
 */
export function parseInstant(text: string): Date | undefined {
	const match = form.exec(text);
	const at = new Date(text);
	if (!match || Number.isNaN(at.getTime())) return undefined;
	if (at.getUTCFullYear() < 1 || at.getUTCFullYear() > 9_999) return undefined;
	const [year, month, day] = match.slice(1).map(Number);
	return new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day)).getUTCDate() === day ? at : undefined;
}
