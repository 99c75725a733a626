import { Problem } from "../platform/problem";

/** What was made for one of the authority's environments is not stored for another; the same request is made for that one when it comes again. */
export function companyMoved(): Problem {
	return new Problem("service-unavailable", {
		detail:
			"The company has moved to another environment of the authority meanwhile, or is being moved; nothing was stored.",
		headers: { "retry-after": "1" },
	});
}
