/** Makes a snapshot file of columns; the only writer of the format. */
import { rmSync } from "node:fs";
import { ACTIVE_STATUS } from "../entry";
import type { EntryColumns } from "./columns";
import { digitsOf, isElevenDigits, slotOf } from "./document-key";
import { buildField, type FoldedValues, type RowTraits } from "./field-index";
import { createWordCollector } from "./fold";
import { type SnapshotFacts, STATUSES_MAX, type TextField } from "./format";
import { buildShortcuts } from "./shortcuts";
import { writeEntries } from "./write-entries";
import { createSnapshotWriter, type SnapshotWriter } from "./write-file";

export type BuildStep = "entries" | TextField | "sync";

/**
 * Writes the snapshot of `columns` to `path`, which must not exist, and forces it to the disk. The file has no name that anybody looks
 * for until the caller gives it one. `onStep` is told what begins. After a failure there is no file.
 */
export function buildSnapshot(
	path: string,
	columns: EntryColumns,
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
		writeEntries(columns, writer);
		const traits = collectTraits(columns);
		writer.write("traits", traits.traits);
		onStep("name");
		writeField(writer, "name", foldTexts(columns, 0), traits);
		onStep("trade_name");
		writeField(writer, "trade_name", foldTexts(columns, 1), traits);
		onStep("economic_activity");
		writeField(writer, "economic_activity", foldActivities(columns), traits);
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

function collectTraits({ keys, statuses, statusTexts }: EntryColumns): RowTraits {
	const active = statusTexts.indexOf(ACTIVE_STATUS);
	const isActive = new Uint8Array(keys.length);
	const traits = new Uint16Array(keys.length);
	for (let row = 0; row < keys.length; row++) {
		const status = statuses[row] ?? 0;
		isActive[row] = status === active ? 1 : 0;
		traits[row] = status * 2 + (isElevenDigits(keys[row] ?? 0) ? 1 : 0);
	}
	return { isActive, traits };
}

function writeField(writer: SnapshotWriter, field: TextField, values: FoldedValues, traits: RowTraits): void {
	const sections = buildField(values, traits);
	for (const [name, content] of Object.entries({ ...sections, ...buildShortcuts(sections) })) {
		writer.write(`${field}/${name}`, content);
	}
}

/** Folds the names (`which` 0) or the commercial names (1). */
function foldTexts({ keys, texts, textStarts }: EntryColumns, which: 0 | 1): FoldedValues {
	const collector = createWordCollector();
	const starts = new Uint32Array(keys.length + 1);
	const lengths = new Uint32Array(keys.length);
	for (let row = 0; row < keys.length; row++) {
		const at = row * 2 + which;
		lengths[row] = collector.take(texts, textStarts[at] ?? 0, textStarts[at + 1] ?? 0);
		starts[row + 1] = collector.count();
	}
	return { starts, words: collector.words(), lengths, dictionary: collector.dictionary };
}

/** Activities repeat by the thousand: each is folded once. */
function foldActivities({ activities, activityTexts }: EntryColumns): FoldedValues {
	const collector = createWordCollector();
	const folded = activityTexts.map((text) => {
		const start = collector.count();
		const bytes = Buffer.from(text);
		const length = collector.take(bytes, 0, bytes.length);
		return { length, words: collector.words().slice(start) };
	});
	const starts = new Uint32Array(activities.length + 1);
	const lengths = new Uint32Array(activities.length);
	let end = 0;
	for (let row = 0; row < activities.length; row++) {
		const value = folded[activities[row] ?? 0];
		lengths[row] = value?.length ?? 0;
		end += value?.words.length ?? 0;
		starts[row + 1] = end;
	}
	const words = new Uint32Array(end);
	for (let row = 0; row < activities.length; row++) {
		const value = folded[activities[row] ?? 0];
		const start = starts[row] ?? 0;
		if (value) for (let i = 0; i < value.words.length; i++) words[start + i] = value.words[i] ?? 0;
	}
	return { starts, words, lengths, dictionary: collector.dictionary };
}
