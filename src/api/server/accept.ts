import type { Operation } from "../../platform/operation";
import { Problem } from "../../platform/problem";

/** Refuses an `Accept` that none of the operation's answers fits. Throws: not-acceptable. Source: RFC 9110, 12.5.1. */
export function checkAccept(request: Request, operation: Operation): void {
	const header = request.headers.get("accept");
	if (header === null || header.trim() === "") return;
	const offered = new Set(["application/json", "application/problem+json"]);
	for (const { mediaType, alsoMediaTypes = [] } of Object.values(operation.answers))
		for (const one of [...(mediaType ? [mediaType] : []), ...alsoMediaTypes]) offered.add(one);
	if (offered.has("*/*")) return;
	const isFit = header.split(",").some((range) => {
		const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
		if (parameters.some((p) => /^q=0(\.0{0,3})?$/.test(p))) return false;
		if (type === "*/*") return true;
		if (type.endsWith("/*")) return [...offered].some((media) => media.startsWith(type.slice(0, -1)));
		return offered.has(type);
	});
	if (!isFit) throw new Problem("not-acceptable", { detail: `Offered: ${[...offered].join(", ")}.` });
}
