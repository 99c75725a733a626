/**
 * Problems of the token endpoint, those of guard and limits too. They carry the members of RFC 6749 as well, so that a stock OAuth client understands them,
 * and are never stored by caches. Source: RFC 6749, 5.2; for what is no fault of the request the codes of 4.1.2.1.
 */
import { Problem, type ProblemSlug } from "../../platform/problem";

const errorCodes: Partial<Record<ProblemSlug, string>> = {
	unauthorised: "invalid_client",
	"unsupported-grant-type": "unsupported_grant_type",
	"invalid-scope": "invalid_scope",
	"rate-limit-exceeded": "temporarily_unavailable",
	"service-unavailable": "temporarily_unavailable",
	"internal-error": "server_error",
};
const NO_STORE = { "cache-control": "no-store" };

/** The client did not prove who it is. The challenge names the way that it tried. */
export function invalidClient(usedBasic: boolean, detail = "Client authentication failed."): Problem {
	const challenge = usedBasic ? 'Basic realm="token", charset="UTF-8"' : 'Bearer error="invalid_token"';
	return new Problem("unauthorised", { detail, headers: { "www-authenticate": challenge } });
}

/** The refresh token does not count; `error` tells it from a client that is unknown. */
export function invalidGrant(detail: string): Problem {
	return new Problem("unauthorised", {
		detail,
		extensions: { error: "invalid_grant" },
		headers: { "www-authenticate": 'Bearer error="invalid_token"' },
	});
}

/** Gives a problem what the endpoint's problems have in common. */
export function extendOauthProblem(problem: Problem): Problem {
	const { slug, detail, faults, cause } = problem;
	const members = { error: errorCodes[slug] ?? "invalid_request", error_description: toAscii(detail) };
	const extensions = { ...members, ...problem.extensions };
	return new Problem(slug, { detail, faults, extensions, headers: { ...problem.headers, ...NO_STORE }, cause });
}

/** The member allows printable ASCII without the double quote and the backslash. */
function toAscii(text: string): string {
	return text.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, "?");
}
