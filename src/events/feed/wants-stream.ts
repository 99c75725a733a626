import type { Call } from "../../platform/operation";

export const SSE = "text/event-stream";

/** Whether `Accept` names streams, and ranks them no lower than JSON. Source: RFC 9110, 12.5.1. */
export function wantsStream(call: Call): boolean {
	const ranges = (call.request.headers.get("accept") ?? "").split(",").map((range) => {
		const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
		const quality = parameters.find((parameter) => parameter.startsWith("q="));
		return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) };
	});
	const qualityOf = (type: string) => ranges.find((range) => range.type === type)?.quality;
	const ofStream = qualityOf(SSE) ?? 0;
	// The most specific range decides.
	return (
		ofStream > 0 && ofStream >= (qualityOf("application/json") ?? qualityOf("application/*") ?? qualityOf("*/*") ?? 0)
	);
}
