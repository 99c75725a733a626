/**
 * Codes of provinces, municipalities and municipal districts: six digits, two for each level, 00 for "the whole".
 * Source: the authority's e-CF format, October 2025, table of provinces and municipalities.
 */

/** By province, for each municipality from 01 on: how many districts it has. */
const DISTRICTS: Readonly<Record<string, readonly number[]>> = {
	"01": [1],
	"02": [9, 2, 3, 5, 1, 4, 2, 4, 1, 1],
	"03": [2, 2, 7, 1, 2],
	"04": [4, 1, 2, 2, 4, 1, 2, 2, 1, 1, 2],
	"05": [2, 3, 1, 1, 2],
	"06": [5, 3, 1, 1, 5, 1, 2],
	"07": [3, 3, 2, 2, 2, 1],
	"08": [4, 3],
	"09": [9, 1, 4, 1],
	"10": [3, 2, 1, 2, 2, 2],
	"11": [4, 3],
	"12": [2, 1, 2],
	"13": [5, 3, 3, 2],
	"14": [4, 3, 2, 1],
	"15": [1, 2, 4, 1, 2, 1],
	"16": [2, 2],
	"17": [10, 3, 1],
	"18": [3, 2, 1, 1, 2, 4, 3, 4, 1],
	"19": [2, 2, 1],
	"20": [4, 1, 1],
	"21": [3, 1, 3, 2, 4, 2, 1, 1],
	"22": [11, 3, 3, 2, 3, 2],
	"23": [1, 3, 1, 1, 1, 1],
	"24": [6, 2, 1, 4],
	"25": [7, 1, 3, 2, 4, 2, 3, 3, 1, 1],
	"26": [1, 1, 1],
	"27": [4, 5, 4],
	"28": [6, 1, 3],
	"29": [4, 1, 3, 3, 1],
	"30": [4, 2, 1],
	"31": [5, 1, 1],
	"32": [2, 1, 2, 2, 2, 3, 3],
};
/** Quirk: holes of the table, and one municipality that it spells 030001 instead of 030100. */
const MISSING: ReadonlySet<string> = new Set(["030100", "250103", "290401"]);
const MISSPELT = "030001";

/** True for a code of the authority's table. */
export function isPlaceCode(code: string): boolean {
	const [, province = "", municipality = "", district = ""] = /^(\d\d)(\d\d)(\d\d)$/.exec(code) ?? [];
	const municipalities = DISTRICTS[province];
	if (!municipalities || MISSING.has(code)) return false;
	if (municipality === "00") return district === "00" || code === MISSPELT;
	const districts = municipalities[Number(municipality) - 1];
	return districts !== undefined && Number(district) <= districts;
}
