/** Builds a snapshot file from columns, in one thread or in two; the only writer of the format. */

import { rmSync } from "node:fs";
import {
	fillSlots,
	findRuns,
	isElevenDigits,
	leastOfBlocks,
	markCold,
	type SnapshotFacts,
	STATUSES_MAX,
	type TextField,
} from "../../index/index";
import { ACTIVE_STATUS } from "../../known-values";
import type { EntryColumns } from "./columns";
import { buildField, type FieldSections, type Rows } from "./field-index";
import { type FoldedValues, foldTexts, type Names } from "./names";
import { buildPairs, NO_PAIRS, type PairSections } from "./pair-index";
import { writeEntries } from "./write-entries";
import { createSnapshotWriter, type SnapshotWriter } from "./write-file";

/**
 * Writes the snapshot of `columns` and `names` to `path`, which must not exist, and syncs it to the disk. Other code only finds the file
 * once the caller renames it. After a failure there is no file.
 */
export function buildSnapshot(path: string, columns: EntryColumns, names: Names, facts: SnapshotFacts): void {
	const writer = createSnapshotWriter(path);
	try {
		writeEntriesPart(writer, columns, names);
		const rows = describeRows(columns);
		const indexes = [buildActivities(columns, rows), buildNames(names.folded("name"), rows)];
		finishSnapshot(writer, columns, indexes, facts);
		writer.force();
		writer.close();
	} catch (error) {
		writer.close();
		rmSync(path, { force: true });
		throw error;
	}
}

export const ENTRIES_FIELD = "trade_name" satisfies TextField;

/** Writes the entries, the sections that lead to them, and the index of commercial names: half of the work. */
export function writeEntriesPart(writer: SnapshotWriter, columns: EntryColumns, names: Names): void {
	if (columns.statusTexts.length > STATUSES_MAX) {
		throw new RangeError(`expected at most ${STATUSES_MAX} statuses, got ${columns.statusTexts.length}`);
	}
	writer.write("keys", columns.keys);
	const addresses = writeEntries(columns, names, writer);
	writer.write("slots", fillSlots(columns, addresses));
	const rows = describeRows(columns);
	writer.write("traits", rows.traits);
	writer.write("start-days", columns.startDays);
	writeIndex(writer, buildIndex(ENTRIES_FIELD, names.folded(ENTRIES_FIELD), rows));
}

export function buildNames(folded: FoldedValues, rows: Rows): TextIndex {
	return buildIndex("name", folded, rows);
}

export function buildActivities(columns: EntryColumns, rows: Rows): TextIndex {
	const { endings, endingParts, activityTexts } = columns;
	const values = new Uint32Array(endings.length);
	for (let row = 0; row < values.length; row++) values[row] = endingParts[3 * (endings[row] ?? 0)] ?? 0;
	return buildIndex("economic_activity", foldTexts(activityTexts), { ...rows, values });
}

type TextIndex = { readonly field: TextField; readonly sections: FieldSections & ShortcutSections };

function buildIndex(field: TextField, folded: FoldedValues, rows: Rows): TextIndex {
	const sections = buildField(folded, rows);
	return { field, sections: { ...sections, ...buildShortcuts(sections) } };
}

/** Writes the other indexes after the entries and completes the file. */
export function finishSnapshot(
	writer: SnapshotWriter,
	columns: EntryColumns,
	indexes: readonly TextIndex[],
	facts: SnapshotFacts,
): void {
	for (const index of indexes) writeIndex(writer, index);
	writer.finish({ ...facts, entryCount: columns.keys.length, statuses: columns.statusTexts });
}

export function describeRows({ keys, records, endings, endingParts, statusTexts }: EntryColumns): Rows {
	const active = statusTexts.indexOf(ACTIVE_STATUS);
	const isActive = new Uint8Array(keys.length);
	const traits = new Uint16Array(keys.length);
	for (let row = 0; row < keys.length; row++) {
		const status = endingParts[3 * (endings[row] ?? 0) + 1] ?? 0;
		isActive[row] = status === active ? 1 : 0;
		traits[row] = status * 2 + (isElevenDigits(keys[row] ?? 0) ? 1 : 0);
	}
	return { values: records, isActive, traits };
}

function writeIndex(writer: SnapshotWriter, { field, sections }: TextIndex): void {
	for (const [name, content] of Object.entries(sections)) writer.write(`${field}/${name}`, content);
}

markCold(describeRows);

/** Builds the sections that keep the cost of a search nearly independent of the number of entries. */

type ShortcutSections = PairSections & {
	readonly "value-least": Uint32Array;
	readonly "value-starts": Uint32Array;
};

function buildShortcuts(sections: FieldSections): ShortcutSections {
	const { words, "word-starts": wordStarts, "by-value": byValue, "posting-starts": postingStarts } = sections;
	const runs = findRuns({ words, wordStarts, byValue });
	// If runs of equal values are listed, pairs of their words would only repeat them at great length.
	const pairs = runs.length > 0 ? NO_PAIRS : buildPairs(wordStarts, words, postingStarts);
	return { "value-least": leastOfBlocks(byValue), "value-starts": runs, ...pairs };
}
