/** What totals can be grouped by. */

/** In the order in which groups name and sort them, however they are asked for. */
export const DIMENSIONS = ["day", "month", "type", "status", "branch", "customer_rnc"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Reads a list such as `type,day`; undefined when it names something else, or something twice. */
export function readDimensions(text: string): Dimension[] | undefined {
	const asked = text === "" ? [] : text.split(",");
	const known = DIMENSIONS.filter((dimension) => asked.includes(dimension));
	return known.length === asked.length ? known : undefined;
}
