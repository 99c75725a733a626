/** Problems in the document: which ones an operation can answer, and how each looks. */
import { limitClassOf, limitHeaders } from "../../identity/rate-limits";
import type { Operation } from "../../platform/operation";
import { catalogue, type ProblemSlug } from "../../platform/problem";
import type { ExampleObject, HeaderObject, MediaType, Reference, ResponseObject } from "./document";
import { exampleProblem } from "./problem-examples";

export const PROBLEM_MEDIA_TYPE = "application/problem+json";

/** Headers that several answers share. */
export const sharedHeaders = {
	"X-Request-Id": {
		description: "Id of the request: the caller's own, when it sent one of 8 to 64 letters, digits, `.`, `_` or `-`.",
		schema: { type: "string" },
	},
	"Retry-After": { description: "Whole seconds to wait before the next try.", schema: { type: "string" } },
	"RateLimit-Policy": { description: limitHeaders["RateLimit-Policy"], schema: { type: "string" } },
	RateLimit: { description: limitHeaders.RateLimit, schema: { type: "string" } },
	"Preference-Applied": { description: "`wait=N`, where the answer was waited for.", schema: { type: "string" } },
	"Content-Range": { description: "How large the whole is: `bytes */N`.", schema: { type: "string" } },
	"WWW-Authenticate": { description: "RFC 6750: what is wrong with the credential.", schema: { type: "string" } },
	Deprecation: { description: "RFC 9745: since when the endpoint is deprecated.", schema: { type: "string" } },
	Sunset: { description: "RFC 8594: until when the endpoint answers.", schema: { type: "string" } },
	Link: { description: "Where that was announced, and what to use instead.", schema: { type: "string" } },
} as const satisfies Record<string, HeaderObject>;

const WITH_RETRY_AFTER: ReadonlySet<ProblemSlug> = new Set([
	"idempotency-in-progress",
	"rate-limit-exceeded",
	"polling-limit-exceeded",
	"service-unavailable",
	"registry-unavailable",
	"authority-unavailable",
]);
const WITH_PREFERENCE: ReadonlySet<ProblemSlug> = new Set(["authority-rejected", "authority-unavailable"]);
const WITH_CHALLENGE: ReadonlySet<ProblemSlug> = new Set(["unauthorised", "insufficient-scope"]);

/** Every slug that a call of the operation can be answered with: its own, and those of door and guard. */
export function problemsOf(operation: Operation): ProblemSlug[] {
	const { key, bearer } = operation.credentials;
	const { parameters = [] } = operation;
	const slugs = new Set<ProblemSlug>(operation.problems);
	if (key !== "ignored" || bearer !== "ignored") slugs.add("unauthorised").add("validation-error");
	if (operation.scope) slugs.add("insufficient-scope");
	const limit = limitClassOf(operation);
	if (limit === "poll") slugs.add("polling-limit-exceeded");
	// Polls too: of credentials that do not count.
	if (limit) slugs.add("rate-limit-exceeded");
	// A path that cannot be decoded is nowhere.
	if (parameters.some((one) => one.in === "path" && !one.takesUndecodable)) slugs.add("not-found");
	// An address may be too long wherever there is one.
	slugs.add("not-acceptable").add("payload-too-large");
	if (operation.body) slugs.add("unsupported-media-type");
	if (operation.deprecation) slugs.add("endpoint-retired");
	slugs.add("internal-error").add("service-unavailable");
	return [...slugs].sort((a, b) => catalogue[a].status - catalogue[b].status);
}

/** The answers for these slugs, by status; slugs of one status share an answer and have an example each. */
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
			"X-Request-Id": referToHeader("X-Request-Id"),
		},
		content: { [PROBLEM_MEDIA_TYPE]: media },
	};
}

export function referToHeader(name: keyof typeof sharedHeaders): Reference {
	return { $ref: `#/components/headers/${name}` };
}

/** One example document per slug. */
export function problemExamples(slugs: Iterable<ProblemSlug>, baseUrl: string): Record<string, ExampleObject> {
	const examples = [...new Set(slugs)].sort().map((slug): [string, ExampleObject] => {
		const { title, fix } = catalogue[slug];
		return [slug, { summary: title, description: fix, value: exampleProblem(slug, baseUrl) }];
	});
	return Object.fromEntries(examples);
}
