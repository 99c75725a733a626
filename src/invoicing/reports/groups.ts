/** Where a page of groups begins: in whose books, and behind a group that is told by what its dimensions are. */
import { isIsoDate, isXmlText } from "../../platform/values";
import { AUTHORITY_ENVIRONMENTS, type AuthorityEnvironment } from "./store";

/** Amounts are decimals with two places. */
export type Sums = {
	readonly count: number;
	readonly subtotal: string;
	readonly tax: string;
	readonly grand_total: string;
};
/** What the asked dimensions are, null where documents name none, and what their documents come to. */
export type Group = Readonly<Partial<Record<Dimension, string | null>>> & Sums;

/** A value for each dimension, as the sums' rows have it: a month is its first day, and what is absent is empty. */
export type Place = readonly string[];

export type Cursor = { readonly environment: AuthorityEnvironment; readonly place: Place };

export function writeCursor(environment: AuthorityEnvironment, group: Group, dimensions: readonly Dimension[]): string {
	const place = dimensions.map((name) => (name === "month" ? `${group.month}-01` : (group[name] ?? "")));
	return Buffer.from(JSON.stringify([environment, ...place])).toString("base64url");
}

/** Undefined for what no page of such groups has told. */
export function readCursor(text: string, dimensions: readonly Dimension[]): Cursor | undefined {
	const told = parse(Buffer.from(text, "base64url").toString());
	if (!Array.isArray(told) || dimensions.length === 0 || told.length !== 1 + dimensions.length) return undefined;
	const [first, ...place] = told;
	const environment = AUTHORITY_ENVIRONMENTS.find((one) => one === first);
	const isPlace = dimensions.every((name, i) => isValueOf(name, place[i]));
	return environment && isPlace ? { environment, place: place as string[] } : undefined;
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
