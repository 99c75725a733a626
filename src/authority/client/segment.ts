/** The authority's three environments and the segment that each has in an address. */

/** As a company states it. */
export const AUTHORITY_ENVIRONMENTS = ["test", "certification", "production"] as const;
export type AuthorityEnvironment = (typeof AUTHORITY_ENVIRONMENTS)[number];

/** As it stands in every path: free tests, certification tests, fiscal effect. */
export type Segment = "testecf" | "certecf" | "ecf";

const segments: Record<AuthorityEnvironment, Segment> = {
	test: "testecf",
	certification: "certecf",
	production: "ecf",
};

export function toSegment(environment: AuthorityEnvironment): Segment {
	return segments[environment];
}
