/** Where a page of groups begins: behind a group, told by what its dimensions are. */
import { isIsoDate, isXmlText } from "../values";
import type { Dimension } from "./dimensions";
import type { Group } from "./groups-store";

/** A value for each dimension, as the sums' rows have it: a month is its first day, and what is absent is empty. */
export type Place = readonly string[];

export function writeCursor(group: Group, dimensions: readonly Dimension[]): string {
	const place = dimensions.map((name) => (name === "month" ? `${group.month}-01` : (group[name] ?? "")));
	return Buffer.from(JSON.stringify(place)).toString("base64url");
}

/** Undefined for what no page of such groups has told. */
export function readCursor(text: string, dimensions: readonly Dimension[]): Place | undefined {
	const place = parse(Buffer.from(text, "base64url").toString());
	if (!Array.isArray(place) || place.length === 0 || place.length !== dimensions.length) return undefined;
	return dimensions.every((name, i) => isValueOf(name, place[i])) ? (place as string[]) : undefined;
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
