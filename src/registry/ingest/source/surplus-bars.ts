/**
 * Reads lines of the text format with more cells than columns, because a text contains `|`. The number in front, and the date, status and
 * regime behind the texts are fixed points. Between them, the activity decides: few thousand activities exist, and nearly all occur in
 * other lines. So such lines wait for the end of the source.
 */
import { normaliseText } from "../../index/index";
import type { Format } from "./format";

/** Street, number, sector and phone. */
const ADDRESS_CELLS = 4;

export type Split = {
	/** One cell for each column. */
	readonly cells: readonly string[];
	/** Whether the activity decided where the texts end; otherwise the surplus was added to the name. */
	readonly isHealed: boolean;
};

/** Returns how lines with surplus bars are split, given the activities of all other lines. */
export function createSplitter(format: Format, activities: readonly string[]): (cells: readonly string[]) => Split {
	const known = new Map(activities.map((activity) => [squeeze(activity), activity]));
	known.delete("");
	return (cells) => {
		const surplus = cells.length - format.columnCount;
		const [number = ""] = cells;
		const texts = cells.slice(1, (format.columns.startDate ?? 0) + surplus);
		const rest = cells.slice(1 + texts.length);
		const found = findActivity(texts, surplus, known);
		const namesEnd = found?.from ?? 2 + surplus;
		const activityEnd = found?.to ?? namesEnd + 1;
		const activity = found?.activity ?? texts[namesEnd] ?? "";
		const address = texts.slice(activityEnd);
		// The address is not served, so it does not matter which of its cells the rest of the surplus belongs to.
		const fixedAddress = [...address.slice(0, ADDRESS_CELLS - 1), address.slice(ADDRESS_CELLS - 1).join("|")];
		const [name, tradeName] = splitNames(texts.slice(0, namesEnd));
		return { cells: [number, name, tradeName, activity, ...fixedAddress, ...rest], isHealed: found !== undefined };
	};
}

type FoundActivity = { readonly from: number; readonly to: number; readonly activity: string };

/** The longest stretch of cells behind two names that spells a known activity. */
function findActivity(
	texts: readonly string[],
	surplus: number,
	known: ReadonlyMap<string, string>,
): FoundActivity | undefined {
	let best: FoundActivity | undefined;
	for (let from = 2; from <= 2 + surplus; from++) {
		// A blank cell in front is a commercial name that the entry lacks.
		if (texts[from]?.trim() === "") continue;
		for (let to = from + 1; to <= texts.length - ADDRESS_CELLS; to++) {
			const activity = known.get(squeeze(texts.slice(from, to).join("")));
			if (activity !== undefined && activity.length > (best?.activity.length ?? 0)) best = { from, to, activity };
		}
	}
	return best;
}

/** A text without what a stray bar may replace or stand beside. */
const squeeze = (text: string): string => text.toUpperCase().replace(/["\s|]/g, "");

const LEGAL_FORM = /(?:^|[ .|])(?:SRL|SAS|SA|EIRL|CXA|S\.R\.L|S\.A\.S|S\.A|E\.I\.R\.L|C\. ?POR ?A|INC|LTDA?)[. "]*$/i;

/**
 * Splits cells into the legal and the commercial name. A blank last cell is no commercial name. Otherwise the legal name ends with a legal
 * form, or the commercial name repeats words of it, or it is the last cell.
 */
function splitNames(cells: readonly string[]): readonly [name: string, tradeName: string] {
	const split = (end: number) => [cells.slice(0, end).join("|"), cells.slice(end).join("|")] as const;
	const last = cells.length - 1;
	if (last <= 1 || cells[last]?.trim() === "") return split(last);
	const ends = Array.from({ length: last }, (_, i) => i + 1);
	const byForm = ends.find((end) => LEGAL_FORM.test(cells[end - 1] ?? ""));
	if (byForm !== undefined) return split(byForm);
	const repeats = (end: number) => {
		const [name, tradeName] = split(end);
		return normaliseText(name).replaceAll(" ", "").includes(normaliseText(tradeName).replaceAll(" ", ""));
	};
	return split(ends.find(repeats) ?? last);
}
