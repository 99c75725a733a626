/** Provinces, municipalities and districts by the authority's code. Source: its table of provinces and municipalities. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

let names: ReadonlyMap<string, string> | undefined;

/** The name of a place; the code itself where the table has none. Reads the table when it is first asked. */
export function placeName(code: string): string {
	names ??= readNames();
	return names.get(code) ?? code;
}

function readNames(): ReadonlyMap<string, string> {
	const text = readFileSync(join(import.meta.dir, "../../../../data/places/places.txt"), "utf8");
	return new Map(
		text
			.trimEnd()
			.split("\n")
			.map((line) => [line.slice(0, 6), line.slice(7)]),
	);
}
