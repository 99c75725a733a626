/** Seconds that a Retry-After header asks to wait; undefined when it is absent or ill-formed. Source: RFC 9110, 10.2.3. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
	if (header === undefined) return undefined;
	const text = header.trim();
	if (/^\d{1,9}$/.test(text)) return Number(text);
	// Only the three date forms start with a day's name; Date.parse alone would read much else as a date.
	if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined;
	const at = Date.parse(text);
	return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - nowMs) / 1000));
}
