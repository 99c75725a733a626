/**
 * Seconds that a Retry-After header asks to wait; undefined when it is absent or ill-formed. A date is compared with the answer's own (`date`), so that
 * a clock which is wrong, theirs or ours, does no harm. Source: RFC 9110, 10.2.3.
 */
export function parseRetryAfter(
	header: string | undefined,
	date: string | undefined,
	nowMs: number,
): number | undefined {
	if (header === undefined) return undefined;
	const text = header.trim();
	if (/^\d{1,9}$/.test(text)) return Number(text);
	// Only the three date forms start with a day's name; Date.parse alone would read much else as a date.
	if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined;
	const at = Date.parse(text);
	const answeredAtMs = Date.parse(date ?? "");
	const fromMs = Number.isNaN(answeredAtMs) ? nowMs : answeredAtMs;
	return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - fromMs) / 1000));
}
