/** Where a page of groups begins: in whose books, and behind a group that is told by what its dimensions are. */
import { isIsoDate, isXmlText } from "../../platform/values";
import type { Dimension } from "./dimensions";
import { AUTHORITY_ENVIRONMENTS, type AuthorityEnvironment } from "./environment";
import type { Group } from "./groups-store";

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
