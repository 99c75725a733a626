/** Problems in the document: which ones an operation can return, and an example of each. */
import { limitClassOf, limitHeaders } from "../../identity/rate-limits";
import type { Operation } from "../../platform/operation";
import { catalogue, type Language, type ProblemSlug } from "../../platform/problem";
import type { ExampleObject, HeaderObject, MediaType, Reference, ResponseObject } from "./document";
import { exampleProblem } from "./problem-examples";

export const PROBLEM_MEDIA_TYPE = "application/problem+json";

export const sharedHeaders = {
	"X-Request-Id": {
		description: "Id of the request: the caller's own if it sent one of 8 to 64 letters, digits, `.`, `_` or `-`.",
		schema: { type: "string" },
	},
	"Content-Language": {
		description: "`es` if `Accept-Language` prefers Spanish, else `en`. Slugs and codes are the same in both.",
		schema: { type: "string" },
	},
	"Retry-After": { description: "Seconds to wait before you retry.", schema: { type: "string" } },
	"RateLimit-Policy": { description: limitHeaders["RateLimit-Policy"], schema: { type: "string" } },
	RateLimit: { description: limitHeaders.RateLimit, schema: { type: "string" } },
	"Preference-Applied": { description: "`wait=N` if the service waited for the result.", schema: { type: "string" } },
	"Content-Range": { description: "Total size: `bytes */N`.", schema: { type: "string" } },
	"WWW-Authenticate": { description: "What is wrong with the credential (RFC 6750).", schema: { type: "string" } },
	Deprecation: { description: "Since when the endpoint is deprecated (RFC 9745).", schema: { type: "string" } },
	Sunset: { description: "Until when the endpoint answers (RFC 8594).", schema: { type: "string" } },
	Link: { description: "The announcement, and what to use instead.", schema: { type: "string" } },
} as const satisfies Record<string, HeaderObject>;

const WITH_RETRY_AFTER: ReadonlySet<ProblemSlug> = new Set([
	"idempotency-in-progress",
	"rate-limit-exceeded",
	"polling-limit-exceeded",
	"service-unavailable",
	"registry-unavailable",
	"authority-unavailable",
	"sign-in-throttled",
]);
const WITH_PREFERENCE: ReadonlySet<ProblemSlug> = new Set(["authority-rejected", "authority-unavailable"]);
const WITH_CHALLENGE: ReadonlySet<ProblemSlug> = new Set([
	...(["unauthorised", "insufficient-scope"] as const),
	...(["session-expired", "sign-in-failed", "totp-required"] as const),
]);

/** Every slug that the operation can return: its own, and those of admission and credentials. */
export function problemsOf(operation: Operation): ProblemSlug[] {
	const { key, bearer, session } = operation.credentials;
	const { parameters = [] } = operation;
	const slugs = new Set<ProblemSlug>(operation.problems);
	if (session) slugs.add("session-expired").add("cross-site-request");
	if (key !== "ignored" || bearer !== "ignored") slugs.add("unauthorised").add("validation-error");
	if (operation.scope) slugs.add("insufficient-scope");
	const limit = limitClassOf(operation);
	if (limit === "poll") slugs.add("polling-limit-exceeded");
	// Polls too: the limit of failed credentials.
	if (limit) slugs.add("rate-limit-exceeded");
	// A path that cannot be decoded matches nothing.
	if (parameters.some((one) => one.in === "path" && !one.takesUndecodable)) slugs.add("not-found");
	// Any URL and any headers may be too long.
	slugs.add("not-acceptable").add("payload-too-large").add("headers-too-large");
	if (operation.body) slugs.add("unsupported-media-type");
	if (operation.deprecation) slugs.add("endpoint-retired");
	slugs.add("internal-error").add("service-unavailable");
	return [...slugs].sort((a, b) => catalogue[a].status - catalogue[b].status);
}

/** Answers by status; slugs with the same status share an answer and have an example each. */
export function toProblemResponses(slugs: readonly ProblemSlug[]): Record<string, ResponseObject> {
	const byStatus = Map.groupBy(slugs, (slug) => String(catalogue[slug].status));
	return Object.fromEntries([...byStatus].map(([status, group]) => [status, toProblemResponse(group)]));
}

function toProblemResponse(slugs: readonly ProblemSlug[]): ResponseObject {
	const media: MediaType = {
		schema: { $ref: "#/components/schemas/Problem" },
		examples: Object.fromEntries(slugs.map((slug) => [slug, { $ref: `#/components/examples/${slug}` }])),
	};
	return {
		description: slugs.map((slug) => `\`${slug}\`: ${catalogue[slug].cause}`).join("\n\n"),
		headers: {
			...(slugs.some((slug) => WITH_RETRY_AFTER.has(slug)) ? { "Retry-After": referToHeader("Retry-After") } : {}),
			...(slugs.some((slug) => WITH_PREFERENCE.has(slug))
				? { "Preference-Applied": referToHeader("Preference-Applied") }
				: {}),
			...(slugs.some((slug) => WITH_CHALLENGE.has(slug))
				? { "WWW-Authenticate": referToHeader("WWW-Authenticate") }
				: {}),
			...(slugs.includes("range-not-satisfiable") ? { "Content-Range": referToHeader("Content-Range") } : {}),
			"Content-Language": referToHeader("Content-Language"),
			"X-Request-Id": referToHeader("X-Request-Id"),
		},
		content: { [PROBLEM_MEDIA_TYPE]: media },
	};
}

export function referToHeader(name: keyof typeof sharedHeaders): Reference {
	return { $ref: `#/components/headers/${name}` };
}

export function problemExamples(
	slugs: Iterable<ProblemSlug>,
	baseUrl: string,
	language: Language,
): Record<string, ExampleObject> {
	const examples = [...new Set(slugs)].sort().map((slug): [string, ExampleObject] => {
		const { title, fix } = catalogue[slug];
		return [slug, { summary: title, description: fix, value: exampleProblem(slug, baseUrl, language) }];
	});
	return Object.fromEntries(examples);
}
