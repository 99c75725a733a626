/**
 * What a parsed file must satisfy before it may replace what is served. A file that is merely shorter is the most likely harm:
 * a cut download reads as hundreds of thousands of taxpayers who are gone.
 */
import type { ParsedSource } from "./parse";

const PARSABLE_PERCENT_MIN = 99;
const ROWS_PERCENT_MIN = 90;
const ROWS_PERCENT_MAX = 150;
/** Less than that of known statuses means that the columns are not where they are expected. */
const KNOWN_STATUS_PERCENT_MIN = 50;

/**
 * Why the file must not be used; undefined when it may. `previousRows` is what the last good run had, erased ones included.
 * `force` allows any change of size and nothing else.
 */
export function checkGates(
	parsed: Pick<ParsedSource, "rows" | "refusedCount" | "unknownStatusCount" | "endsCut">,
	previousRows: number | undefined,
	force: boolean,
): string | undefined {
	const { rows, refusedCount, unknownStatusCount } = parsed;
	if (rows === 0) return "no line can be read";
	if (rows * 100 < (rows + refusedCount) * PARSABLE_PERCENT_MIN) {
		return `${refusedCount} of ${rows + refusedCount} lines cannot be read, more than ${100 - PARSABLE_PERCENT_MIN} %`;
	}
	if ((rows - unknownStatusCount) * 100 < rows * KNOWN_STATUS_PERCENT_MIN) {
		return `${unknownStatusCount} of ${rows} entries have an unknown status: the columns are not where they are expected`;
	}
	if (parsed.endsCut) return "the last record is incomplete: the file is cut off";
	if (force || previousRows === undefined) return undefined;
	const bounds = `expected ${ROWS_PERCENT_MIN} to ${ROWS_PERCENT_MAX} % of the ${previousRows} entries of the last good run`;
	const isFew = rows * 100 < previousRows * ROWS_PERCENT_MIN;
	const isMany = rows * 100 > previousRows * ROWS_PERCENT_MAX;
	return isFew || isMany ? `${bounds}, got ${rows}: force the ingest if the change is meant` : undefined;
}
