/** Makes a snapshot file of columns; the only writer of the format. */
import { rmSync } from "node:fs";
import { ACTIVE_STATUS } from "../entry";
import type { EntryColumns } from "./columns";
import { digitsOf, isElevenDigits, slotOf } from "./document-key";
import { buildField, type FieldSections, type Rows } from "./field-index";
import { type SnapshotFacts, STATUSES_MAX, type TextField } from "./format";
import { foldTexts, type Names } from "./names";
import { writeEntries } from "./write-entries";
import { createSnapshotWriter, type SnapshotWriter } from "./write-file";

export type BuildStep = "entries" | TextField | "sync";

/**
 * Writes the snapshot of `columns` and `names` to `path`, which must not exist, and forces it to the disk. The file has no name that anybody
 * looks for until the caller gives it one. `onStep` is told what begins. After a failure there is no file.
 */
export function buildSnapshot(
	path: string,
	columns: EntryColumns,
	names: Names,
	facts: SnapshotFacts,
	onStep: (step: BuildStep) => void = () => undefined,
): void {
	if (columns.statusTexts.length > STATUSES_MAX) {
		throw new RangeError(`expected at most ${STATUSES_MAX} statuses, got ${columns.statusTexts.length}`);
	}
	const writer = createSnapshotWriter(path);
	try {
		onStep("entries");
		writer.write("keys", columns.keys);
		writer.write("slots", fillSlots(columns.keys));
		writeEntries(columns, names, writer);
		const rows = describeRows(columns);
		writer.write("traits", rows.traits);
		onStep("name");
		writeField(writer, "name", buildField(names.folded("name"), rows));
		onStep("trade_name");
		writeField(writer, "trade_name", buildField(names.folded("trade_name"), rows));
		onStep("economic_activity");
		const activities = { ...rows, values: columns.endings.map((ending) => columns.endingParts[3 * ending] ?? 0) };
		writeField(writer, "economic_activity", buildField(foldTexts(columns.activityTexts), activities));
		onStep("sync");
		writer.finish({ ...facts, entryCount: columns.keys.length, statuses: columns.statusTexts });
		writer.close();
	} catch (error) {
		writer.close();
		rmSync(path, { force: true });
		throw error;
	}
}

function fillSlots(keys: Float64Array): Uint32Array {
	const size = 2 ** Math.max(3, Math.ceil(Math.log2(keys.length * 2)));
	const slots = new Uint32Array(size);
	for (let row = 0; row < keys.length; row++) {
		const key = keys[row] ?? 0;
		if (row > 0 && (keys[row - 1] ?? 0) >= key)
			throw new RangeError(`${digitsOf(key)} of the snapshot is out of order`);
		let slot = slotOf(key, size - 1);
		while (slots[slot] !== 0) slot = (slot + 1) & (size - 1);
		slots[slot] = row + 1;
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

function writeField(writer: SnapshotWriter, field: TextField, sections: FieldSections): void {
	for (const [name, content] of Object.entries(sections)) writer.write(`${field}/${name}`, content);
}
