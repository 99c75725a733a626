/** The authority's table of provinces, municipalities and municipal districts. Source: `data/places`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export type Place = {
	/** Six digits: two each for province, municipality and district; 00 stands for the whole. */
	readonly code: string;
	readonly name: string;
	readonly level: "province" | "municipality" | "district";
	readonly provinceCode: string;
};

/** Quirk: the table spells Neiba 030001 instead of 030100. */
const MISSPELT = "030001";

let places: ReadonlyMap<string, Place> | undefined;

/** Reads the table on first use. */
function readPlaces(): ReadonlyMap<string, Place> {
	if (places) return places;
	const lines = readFileSync(join(import.meta.dir, "../../../data/places/places.txt"), "utf8")
		.trimEnd()
		.split("\n");
	places = new Map(lines.map((line) => [line.slice(0, 6), toPlace(line.slice(0, 6), line.slice(7))]));
	return places;
}

function toPlace(code: string, name: string): Place {
	const level = code.endsWith("0000")
		? "province"
		: code.endsWith("00") || code === MISSPELT
			? "municipality"
			: "district";
	return { code, name, level, provinceCode: `${code.slice(0, 2)}0000` };
}

/** Every place, by code. */
export function listPlaces(): readonly Place[] {
	return [...readPlaces().values()];
}

/** True for a place code of the authority's table. */
export function isPlaceCode(code: string): boolean {
	return readPlaces().has(code);
}

/** The name of a place; the code itself if it is unknown. */
export function placeName(code: string): string {
	return readPlaces().get(code)?.name ?? code;
}
