/**
 * The milliseconds that a `Retry-After` header asks to wait: 0 or more, undefined when the header is absent or malformed. A date is compared
 * with the answer's own `Date` header, so a wrong clock on either side does no harm. The caller limits how much of it to believe.
 * Source: RFC 9110, 10.2.3.
 */
export function parseRetryAfter(
	header: string | undefined,
	date: string | undefined,
	nowMs: number,
): number | undefined {
	const text = header?.trim() ?? "";
	if (/^\d+$/.test(text)) return Number(text) * 1_000;
	// Date.parse alone would accept much that is no HTTP date; all three of its forms begin with the name of a day.
	if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined;
	const retryAtMs = Date.parse(text);
	const answeredAtMs = Date.parse(date ?? "");
	const fromMs = Number.isNaN(answeredAtMs) ? nowMs : answeredAtMs;
	return Number.isNaN(retryAtMs) ? undefined : Math.max(0, retryAtMs - fromMs);
}
