/** Deprecated operations: their headers, and the refusal after their sunset. */
import type { Deprecation, Operation } from "../../platform/operation";
import { joinMessages, msg, Problem } from "../../platform/problem";
import type { Clock } from "../../platform/values";

/**
 * Refuses an operation after its last day. Throws: endpoint-retired.
 *
 * Gap: checked before credentials. That the endpoint is gone is public, as a 404 is, and a client with an expired key should not have to renew it to
 * find out.
 */
export function checkNotRetired({ deprecation }: Operation, clock: Clock): void {
	if (!deprecation || clock.now() < endOf(deprecation)) return;
	const { sunsetAt, replacement } = deprecation;
	const retired = msg`The endpoint was retired at the end of ${sunsetAt}.`;
	throw new Problem("endpoint-retired", {
		detail: replacement ? joinMessages([retired, msg`Use ${replacement} instead.`]) : retired,
		extensions: { sunsetAt, ...(replacement ? { replacement } : {}) },
	});
}

/**
 * Headers of every answer of a deprecated operation.
 *
 * Shape: `Deprecation: @1796083200`, `Sunset: Wed, 31 Mar 2027 23:59:59 GMT`, one `Link` with all relations.
 * Source: RFC 9745, sections 2 and 3; RFC 8594, sections 3 and 6; RFC 5829 for the successor.
 */
export function deprecationHeaders(deprecation: Deprecation, baseUrl: string): [string, string][] {
	const { change, deprecatedAt, replacement } = deprecation;
	const page = `<${baseUrl}/changelog#${change}>`;
	const links = [
		`${page}; rel="deprecation"; type="text/html"`,
		`${page}; rel="sunset"; type="text/html"`,
		// Braces of a path parameter are not allowed in a URL.
		...(replacement ? [`<${baseUrl}${encodeURI(replacement)}>; rel="successor-version"`] : []),
	];
	return [
		["deprecation", `@${Date.parse(`${deprecatedAt}T00:00:00Z`) / 1_000}`],
		["sunset", new Date(endOf(deprecation).getTime() - 1_000).toUTCString()],
		["link", links.join(", ")],
	];
}

/** The first moment at which it is refused. */
function endOf({ sunsetAt }: Deprecation): Date {
	return new Date(Date.parse(`${sunsetAt}T00:00:00Z`) + 86_400_000);
}
