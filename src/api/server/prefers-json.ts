/** Which form of a page its caller wants. */

/** Whether `Accept` ranks JSON above HTML; a browser, a bare `*` and no header at all get the page. */
export function prefersJson(request: Request): boolean {
	const ranges = (request.headers.get("accept") ?? "").split(",").map((range) => {
		const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
		const quality = parameters.find((parameter) => parameter.startsWith("q="));
		return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) };
	});
	// The most specific range decides. Source: RFC 9110, 12.5.1.
	const qualityOf = (...types: readonly string[]) =>
		types.flatMap((type) => ranges.find((range) => range.type === type)?.quality ?? [])[0] ?? 0;
	const ofJson = Math.max(qualityOf("application/json", "application/*", "*/*"), qualityOf("application/problem+json"));
	return ofJson > qualityOf("text/html", "text/*", "*/*");
}
