/** Codes of provinces, municipalities and districts, PPMMDD. Source: the enumeration in the authority's e-CF schemas, October 2025. */

/** A line for each province from 01 on; in it the highest district of each municipality from 00, the province itself, on. */
const HIGHEST_DISTRICTS: readonly string[] = [
	"0 1",
	"0 9 2 3 5 1 4 2 4 1 1",
	"1 2 2 7 1 2",
	"0 4 1 2 2 4 1 2 2 1 1 2",
	"0 2 3 1 1 2",
	"0 5 3 1 1 5 1 2",
	"0 3 3 2 2 2 1",
	"0 4 3",
	"0 9 1 4 1",
	"0 3 2 1 2 2 2",
	"0 4 3",
	"0 2 1 2",
	"0 5 3 3 2",
	"0 4 3 2 1",
	"0 1 2 4 1 2 1",
	"0 2 2",
	"0 10 3 1",
	"0 3 2 1 1 2 4 3 4 1",
	"0 2 2 1",
	"0 4 1 1",
	"0 3 1 3 2 4 2 1 1",
	"0 11 3 3 2 3 2",
	"0 1 3 1 1 1 1",
	"0 6 2 1 4",
	"0 7 1 3 2 4 2 3 3 1 1",
	"0 1 1 1",
	"0 4 5 4",
	"0 6 1 3",
	"0 4 1 3 3 1",
	"0 4 2 1",
	"0 5 1 1",
	"0 2 1 2 2 2 3 3",
];
/** What the enumeration leaves out within those bounds. */
const ABSENT = ["030100", "250103", "290401"];

export function isPlace(code: string): boolean {
	const [, province, municipality, district] = /^([0-9]{2})([0-9]{2})([0-9]{2})$/.exec(code) ?? [];
	const highest = HIGHEST_DISTRICTS[Number(province) - 1]?.split(" ")[Number(municipality)];
	return highest !== undefined && Number(district) <= Number(highest) && !ABSENT.includes(code);
}
