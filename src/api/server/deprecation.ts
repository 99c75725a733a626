/** What callers of a deprecated operation are told with every answer, and what they get when its time is over. */
import type { Deprecation, Operation } from "../../platform/operation";
import { Problem } from "../../platform/problem";
import type { Clock } from "../../platform/values";

/**
 * Refuses an operation after the last day on which it answers. Throws: endpoint-retired.
 *
 * Gap: asked before the caller's credentials. That the endpoint is gone is public, as a 404 is; a client whose key has ended since must
 * not be sent to mend its key first.
 */
export function checkNotRetired({ deprecation }: Operation, clock: Clock): void {
	if (!deprecation || clock.now() < endOf(deprecation)) return;
	const { sunsetAt, replacement } = deprecation;
	throw new Problem("endpoint-retired", {
		detail: `It answered to the end of ${sunsetAt}.${replacement ? ` Use ${replacement} instead.` : ""}`,
		extensions: { sunsetAt, ...(replacement ? { replacement } : {}) },
	});
}

/**
 * Headers of every answer of a deprecated operation.
 *
 * Shape: `Deprecation: @1796083200`, `Sunset: Wed, 31 Mar 2027 23:59:59 GMT`, one `Link` with each relation that there is.
 * Source: RFC 9745, sections 2 and 3; RFC 8594, sections 3 and 6; RFC 5829 for the successor.
 */
export function deprecationHeaders(deprecation: Deprecation, baseUrl: string): [string, string][] {
	const { change, deprecatedAt, replacement } = deprecation;
	const page = `<${baseUrl}/changelog#${change}>`;
	const links = [
		`${page}; rel="deprecation"; type="text/html"`,
		`${page}; rel="sunset"; type="text/html"`,
		// Braces of a path's parameter do not stand in an address.
		...(replacement ? [`<${baseUrl}${encodeURI(replacement)}>; rel="successor-version"`] : []),
	];
	return [
		["deprecation", `@${Date.parse(`${deprecatedAt}T00:00:00Z`) / 1_000}`],
		["sunset", new Date(endOf(deprecation).getTime() - 1_000).toUTCString()],
		["link", links.join(", ")],
	];
}

/** The first moment at which it does not answer. */
function endOf({ sunsetAt }: Deprecation): Date {
	return new Date(Date.parse(`${sunsetAt}T00:00:00Z`) + 86_400_000);
}
