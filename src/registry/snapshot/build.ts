/** Makes a snapshot file of columns, in one go or by two threads; the only writer of the format. */
import { rmSync } from "node:fs";
import { ACTIVE_STATUS } from "../entry";
import type { EntryColumns } from "./columns";
import { digitsOf, isElevenDigits, lowHalfOf, slotOf } from "./document-key";
import { buildField, type FieldSections, type Rows } from "./field-index";
import { type SnapshotFacts, STATUSES_MAX, type TextField } from "./format";
import { type FoldedValues, foldTexts, type Names } from "./names";
import { buildShortcuts, type ShortcutSections } from "./shortcuts";
import { writeEntries } from "./write-entries";
import { createSnapshotWriter, type SnapshotWriter } from "./write-file";

/**
 * Writes the snapshot of `columns` and `names` to `path`, which must not exist, and forces it to the disk. The file has no name that anybody
 * looks for until the caller gives it one. After a failure there is no file.
 */
export function buildSnapshot(path: string, columns: EntryColumns, names: Names, facts: SnapshotFacts): void {
	const writer = createSnapshotWriter(path);
	try {
		writeAllButNames(writer, columns, names);
		finishSnapshot(writer, columns, buildNames(columns, names.folded("name")), facts);
		writer.close();
	} catch (error) {
		writer.close();
		rmSync(path, { force: true });
		throw error;
	}
}

/** Writes what is not the index of names. */
export function writeAllButNames(writer: SnapshotWriter, columns: EntryColumns, names: Names): void {
	if (columns.statusTexts.length > STATUSES_MAX) {
		throw new RangeError(`expected at most ${STATUSES_MAX} statuses, got ${columns.statusTexts.length}`);
	}
	writer.write("keys", columns.keys);
	const addresses = writeEntries(columns, names, writer);
	writer.write("slots", fillSlots(columns.keys, addresses));
	const rows = describeRows(columns);
	writer.write("traits", rows.traits);
	writeField(writer, "trade_name", buildIndex(names.folded("trade_name"), rows));
	const activities = { ...rows, values: columns.endings.map((ending) => columns.endingParts[3 * ending] ?? 0) };
	writeField(writer, "economic_activity", buildIndex(foldTexts(columns.activityTexts), activities));
}

export function buildNames(columns: EntryColumns, folded: FoldedValues): IndexSections {
	return buildIndex(folded, describeRows(columns));
}

export type IndexSections = FieldSections & ShortcutSections;

function buildIndex(folded: FoldedValues, rows: Rows): IndexSections {
	const sections = buildField(folded, rows);
	return { ...sections, ...buildShortcuts(sections) };
}

/** Writes the index of names behind all else, and forces the file to the disk. */
export function finishSnapshot(
	writer: SnapshotWriter,
	columns: EntryColumns,
	names: IndexSections,
	facts: SnapshotFacts,
): void {
	writeField(writer, "name", names);
	writer.finish({ ...facts, entryCount: columns.keys.length, statuses: columns.statusTexts });
}

function fillSlots(keys: Float64Array, addresses: Uint32Array): Uint32Array {
	const size = 2 ** Math.max(3, Math.ceil(Math.log2(keys.length * 2)));
	const slots = new Uint32Array(2 * size);
	for (let row = 0; row < keys.length; row++) {
		const key = keys[row] ?? 0;
		if (row > 0 && (keys[row - 1] ?? 0) >= key)
			throw new RangeError(`${digitsOf(key)} of the snapshot is out of order`);
		let slot = slotOf(key, size - 1);
		while (slots[2 * slot] !== 0) slot = (slot + 1) & (size - 1);
		slots[2 * slot] = (addresses[row] ?? 0) + 1;
		slots[2 * slot + 1] = lowHalfOf(key);
	}
	return slots;
}

/** The rows as the fields of names need them. */
function describeRows({ keys, records, endings, endingParts, statusTexts }: EntryColumns): Rows {
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

function writeField(writer: SnapshotWriter, field: TextField, sections: IndexSections): void {
	for (const [name, content] of Object.entries(sections)) writer.write(`${field}/${name}`, content);
}
