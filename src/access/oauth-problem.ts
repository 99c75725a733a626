/**
 * Problems of the token endpoint. They carry the members of RFC 6749 as well, so that a stock OAuth client understands them,
 * and are never stored by caches. Source: RFC 6749, 5.2.
 */
import { Problem, type ProblemSlug } from "../problem";

const errorCodes: Partial<Record<ProblemSlug, string>> = {
	unauthorised: "invalid_client",
	"unsupported-grant-type": "unsupported_grant_type",
	"invalid-scope": "invalid_scope",
	"service-unavailable": "temporarily_unavailable",
};

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

/** Runs a handler and gives its problems what the endpoint's problems have in common. */
export async function withOauthProblems(handle: () => Promise<Response>): Promise<Response> {
	try {
		return await handle();
	} catch (error) {
		if (!(error instanceof Problem)) throw error;
		const { slug, detail, faults, cause } = error;
		throw new Problem(slug, {
			detail,
			faults,
			extensions: {
				error: errorCodes[slug] ?? "invalid_request",
				error_description: toAscii(detail),
				...error.extensions,
			},
			headers: { ...error.headers, "cache-control": "no-store" },
			cause,
		});
	}
}

/** The member allows printable ASCII without the double quote and the backslash. */
function toAscii(text: string): string {
	return text.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, "?");
}
