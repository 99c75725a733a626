/**
 * Conditions that a source must satisfy before it may replace the data in use. A shorter file is the most likely harm: a truncated download
 * reads as hundreds of thousands of taxpayers who are gone. A file with shifted numbers or columns has the right size and parses without
 * errors, but names the wrong taxpayers. A file with accents destroyed by a wrong decoding even has the right numbers.
 */
import type { RegistryEntry } from "../entry";
import { digitsOf, entryAt, type Snapshot } from "../index/index";
import type { ParsedSource } from "./source/parse";

const PARSABLE_PERCENT_MIN = 99;
const ROWS_PERCENT_MIN = 90;
const ROWS_PERCENT_MAX = 150;
/** Fewer known statuses than this mean that the columns are not where they are expected. */
const KNOWN_STATUS_PERCENT_MIN = 50;
/** A smaller last good run says nothing about the next one: a trial registry may change completely. */
const COMPARED_ENTRIES_MIN = 100;
const KEPT_PERCENT_MIN = 90;
const OTHERS_PERCENT_MAX = 50;
/** Number of entries compared; comparing all would take longer than all other gates. */
const SAMPLES = 2_000;
/**
 * Garbled lines per 1000. In an honest file several names of a hundred have a letter beyond ASCII, so a wrongly decoded file has more than
 * these. Gap: it is unknown how many the authority's own file has; a few thousand of 760,000 pass.
 */
const GARBLED_PER_MILLE_MAX = 5;
const FORCE_IT = "force the ingest if the change is intended";

type GatedFacts = Pick<
	ParsedSource,
	| "rows"
	| "refusedCount"
	| "refusedLines"
	| "guessed"
	| "garbledCount"
	| "unknownStatusCount"
	| "endsCut"
	| "firstGarbledLine"
	| "spanishCount"
	| "replacements"
	| "format"
>;

/**
 * The reason why the file must not be used; undefined if it may. `previousRows` counts the last good run with erased entries. `force`
 * allows any change of size, and a few characters that the source itself has lost.
 */
export function checkGates(parsed: GatedFacts, previousRows: number | undefined, force: boolean): string | undefined {
	const { rows, refusedCount, unknownStatusCount } = parsed;
	const damage = checkEncoding(parsed, force);
	if (damage !== undefined) return damage;
	if (rows === 0) return "no line can be read";
	if (rows * 100 < (rows + refusedCount) * PARSABLE_PERCENT_MIN) {
		const most = describeMost(parsed);
		return `${refusedCount} of ${rows + refusedCount} lines cannot be read, more than ${100 - PARSABLE_PERCENT_MIN} %${most}`;
	}
	if (parsed.guessed * 100 > rows * (100 - PARSABLE_PERCENT_MIN)) {
		return `${parsed.guessed} of ${rows} lines have bars inside texts, and the activities do not show where they belong`;
	}
	if ((rows - unknownStatusCount) * 100 < rows * KNOWN_STATUS_PERCENT_MIN) {
		return `${unknownStatusCount} of ${rows} entries have an unknown status: the columns are not where they are expected`;
	}
	if (parsed.endsCut) return "the last record is incomplete: the file is cut off";
	if (force || previousRows === undefined) return undefined;
	const bounds = `expected ${ROWS_PERCENT_MIN} to ${ROWS_PERCENT_MAX} % of the ${previousRows} entries of the last good run`;
	const isFew = rows * 100 < previousRows * ROWS_PERCENT_MIN;
	const isMany = rows * 100 > previousRows * ROWS_PERCENT_MAX;
	return isFew || isMany ? `${bounds}, got ${rows}: ${FORCE_IT}` : undefined;
}

/** What is wrong with most of the refused lines. */
function describeMost({ refusedLines, format }: GatedFacts): string {
	const counts = new Map<string, number>();
	for (const { found } of refusedLines) counts.set(found, (counts.get(found) ?? 0) + 1);
	const [most] = [...counts].sort((a, b) => b[1] - a[1]);
	if (!most) return "";
	return `: ${most[0]}${format.ignored.length > 0 ? `; unknown: ${format.ignored.join(", ")}` : ""}`;
}

/**
 * One lost character is too many: U+FFFD shows that the file was decoded wrongly before it reached us. Gap: if the authority's own file has
 * a few, the operator can force the ingest.
 */
function checkEncoding(parsed: GatedFacts, force: boolean): string | undefined {
	const { replacements, spanishCount, firstGarbledLine = 0 } = parsed;
	const lines = parsed.rows + parsed.refusedCount;
	const areFew = replacements.count * 1000 <= lines * GARBLED_PER_MILLE_MAX;
	if (replacements.count > 0 && !(force && areFew)) {
		const { count, firstLine } = replacements;
		return `U+FFFD stands in place of lost characters, ${count} in all, first in line ${firstLine}: the encoding of the source is damaged`;
	}
	const { garbledCount: garbled } = parsed;
	const isMany = garbled * 1000 > lines * GARBLED_PER_MILLE_MAX;
	// A file with few accents may have them all destroyed and stay below that.
	if (!isMany && garbled <= spanishCount) return undefined;
	return `${garbled} of ${lines} lines are garbled by a wrong decoding, the first is line ${firstGarbledLine}: the encoding of the source is damaged`;
}

/**
 * The reason why a readable snapshot must not be used; undefined if it may. `before` is the last good run's snapshot; entries erased since
 * count as kept. Not called for a forced ingest.
 */
export function checkKept(
	before: Snapshot,
	after: Snapshot,
	isErased: ((digits: string) => boolean) | undefined,
): string | undefined {
	const { entryCount } = before;
	if (entryCount < COMPARED_ENTRIES_MIN) return undefined;
	const step = Math.ceil(entryCount / SAMPLES);
	let [row, kept, lost, compared, others] = [0, 0, 0, 0, 0];
	for (let rowBefore = 0; rowBefore < entryCount; rowBefore++) {
		const key = before.keys[rowBefore] ?? 0;
		while ((after.keys[row] ?? Number.POSITIVE_INFINITY) < key) row++;
		if (after.keys[row] !== key) {
			if (!isErased?.(digitsOf(key))) lost++;
		} else if (kept++ % step === 0) {
			compared++;
			if (isAnother(entryAt(before, rowBefore), entryAt(after, row))) others++;
		}
	}
	if (lost * 100 > entryCount * (100 - KEPT_PERCENT_MIN)) {
		return `expected ${KEPT_PERCENT_MIN} % of the ${entryCount} numbers of the last good run, got ${entryCount - lost} of them: ${FORCE_IT}`;
	}
	if (others * 100 <= compared * OTHERS_PERCENT_MAX) return undefined;
	return `${others} of ${compared} entries compared with the last good run name another taxpayer: columns or numbers are not where they are expected; ${FORCE_IT}`;
}

/**
 * Whether an entry names another taxpayer. All commercial names, or all activities, may change at once: only one of the authority's formats
 * has commercial names, and activities get reworded.
 */
function isAnother(before: RegistryEntry, now: RegistryEntry): boolean {
	if (before.name !== now.name) return true;
	return before.trade_name !== now.trade_name && before.economic_activity !== now.economic_activity;
}
