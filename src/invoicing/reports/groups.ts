/** Groups of totals: their dimensions, and the cursor of a page. */
import { isIsoDate, isXmlText } from "../../platform/values";
import { AUTHORITY_ENVIRONMENTS, type AuthorityEnvironment } from "./store";

/** Amounts are decimals with two positions. */
export type Sums = {
	readonly count: number;
	readonly subtotal: string;
	readonly tax: string;
	readonly grand_total: string;
};
/** The values of the requested dimensions, null if documents have none, and the sums. */
export type Group = Readonly<Partial<Record<Dimension, string | null>>> & Sums;

/** A value for each dimension as in the rows of sums: a month is its first day, an absent value is empty. */
export type Position = readonly string[];

export type Cursor = { readonly environment: AuthorityEnvironment; readonly position: Position };

export function writeCursor(environment: AuthorityEnvironment, group: Group, dimensions: readonly Dimension[]): string {
	const position = dimensions.map((name) => (name === "month" ? `${group.month}-01` : (group[name] ?? "")));
	return Buffer.from(JSON.stringify([environment, ...position])).toString("base64url");
}

/** Undefined if the text is no cursor of such groups. */
export function readCursor(text: string, dimensions: readonly Dimension[]): Cursor | undefined {
	const values = parse(Buffer.from(text, "base64url").toString());
	if (!Array.isArray(values) || dimensions.length === 0 || values.length !== 1 + dimensions.length) return undefined;
	const [first, ...position] = values;
	const environment = AUTHORITY_ENVIRONMENTS.find((one) => one === first);
	const isPosition = dimensions.every((name, i) => isValueOf(name, position[i]));
	return environment && isPosition ? { environment, position: position as string[] } : undefined;
}

function isValueOf(dimension: Dimension, value: unknown): boolean {
	if (typeof value !== "string" || !isXmlText(value)) return false;
	return dimension === "day" || dimension === "month" ? isIsoDate(value) : true;
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** The statuses that reports know. */
export const DECIDED_STATUSES = ["accepted", "rejected", "failed"] as const;
export type DecidedStatus = (typeof DECIDED_STATUSES)[number];

/** What totals can be grouped by, in the order in which groups list and sort them. */
export const DIMENSIONS = ["day", "month", "type", "status", "branch", "customer_rnc"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Reads a list such as `type,day`. Undefined for unknown or repeated names. */
export function readDimensions(text: string): Dimension[] | undefined {
	const asked = text === "" ? [] : text.split(",");
	const known = DIMENSIONS.filter((dimension) => asked.includes(dimension));
	return known.length === asked.length ? known : undefined;
}
