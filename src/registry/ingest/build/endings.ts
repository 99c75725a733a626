/**
 * Numbers the endings of records: activity, status and regime together. Thousands of records share an ending, so its cells are compared as
 * they are in the source, four bytes at a time, with a copy of the first record's cells:
 *
 *   slots   open-addressed hash table, two numbers per slot: form + 1 (0 if empty) and its hash; at most half full
 *   form    one way to write an ending: where copies of its three cells are in `written`, and the ending's number
 */
import { createByteDictionary, grownBytes, grownNumbers } from "./byte-dictionary";

/** One record's cells. The two names are in the buffer; the others are ranges of the source. */
export type Cells = {
	readonly nameEnd: number;
	readonly tradeNameEnd: number;
	readonly source: Uint8Array;
	readonly view: DataView;
	readonly activityStart: number;
	readonly activityEnd: number;
	readonly statusStart: number;
	readonly statusEnd: number;
	readonly regimeStart: number;
	readonly regimeEnd: number;
	/** A day, see start-date.ts. */
	readonly startedOn: number;
};

export type ReadCell = (source: Uint8Array, from: number, to: number) => string;

type Endings = {
	readonly numberOf: (cells: Cells) => number;
	readonly numberOfTexts: (activity: string, status: string, regime: string) => number;
	readonly size: () => number;
	/** Ending → activity, status and regime, three numbers each. */
	readonly parts: () => Uint32Array;
	readonly activityTexts: () => readonly string[];
	readonly statusTexts: () => readonly string[];
	readonly regimeTexts: () => readonly string[];
};

/** The start of each of the three cells, the end of the last one, and the ending. */
const FORM_NUMBERS = 5;

/** `readCell` may map several spellings to one text. */
export function createEndings(readCell: ReadCell): Endings {
	const activities = createTextNumbers();
	const statuses = createTextNumbers();
	const regimes = createTextNumbers();
	const endings = createByteDictionary();
	let slots = new Int32Array(1 << 13);
	let forms: Uint32Array = new Uint32Array(FORM_NUMBERS << 10);
	let count = 0;
	let written = new DataView(new ArrayBuffer(1 << 14));
	let writtenEnd = 0;

	const copyCell = (source: Uint8Array, from: number, to: number): void => {
		const needed = writtenEnd + to - from;
		const bytes = grownBytes(new Uint8Array(written.buffer), needed);
		if (bytes.buffer !== written.buffer) written = new DataView(bytes.buffer);
		bytes.set(source.subarray(from, to), writtenEnd);
		writtenEnd = needed;
	};
	const numberOfTexts = (activity: string, status: string, regime: string): number =>
		endings.internNumbers(activities.numberOf(activity), statuses.numberOf(status), regimes.numberOf(regime));
	const addForm = (cells: Cells): number => {
		const { source, activityStart, activityEnd, statusStart, statusEnd, regimeStart, regimeEnd } = cells;
		const ending = numberOfTexts(
			readCell(source, activityStart, activityEnd),
			readCell(source, statusStart, statusEnd).toUpperCase(),
			readCell(source, regimeStart, regimeEnd).toUpperCase(),
		);
		const at = FORM_NUMBERS * count++;
		forms = grownNumbers(forms, at + FORM_NUMBERS);
		forms[at] = writtenEnd;
		copyCell(source, activityStart, activityEnd);
		forms[at + 1] = writtenEnd;
		copyCell(source, statusStart, statusEnd);
		forms[at + 2] = writtenEnd;
		copyCell(source, regimeStart, regimeEnd);
		forms[at + 3] = writtenEnd;
		forms[at + 4] = ending;
		return ending;
	};
	const growSlots = () => {
		const grown = new Int32Array(slots.length * 2);
		for (let from = 0; from < slots.length; from += 2) {
			if (slots[from] === 0) continue;
			const hash = slots[from + 1] ?? 0;
			let slot = (2 * hash) & (grown.length - 1);
			while (grown[slot] !== 0) slot = (slot + 2) & (grown.length - 1);
			grown[slot] = slots[from] ?? 0;
			grown[slot + 1] = hash;
		}
		slots = grown;
	};
	const numberOf = (cells: Cells): number => {
		const hash = hashOf(cells);
		const mask = slots.length - 1;
		let slot = (2 * hash) & mask;
		for (let held = slots[slot] ?? 0; held !== 0; held = slots[slot] ?? 0) {
			const at = FORM_NUMBERS * (held - 1);
			if (slots[slot + 1] === hash && isWritten(written, forms, at, cells)) return forms[at + FORM_NUMBERS - 1] ?? 0;
			slot = (slot + 2) & mask;
		}
		const ending = addForm(cells);
		slots[slot] = count;
		slots[slot + 1] = hash;
		if (count * 4 > slots.length) growSlots();
		return ending;
	};
	return {
		numberOf,
		numberOfTexts,
		size: endings.size,
		parts: () => new Uint32Array(endings.content().bytes.buffer),
		activityTexts: activities.texts,
		statusTexts: statuses.texts,
		regimeTexts: regimes.texts,
	};
}

function createTextNumbers() {
	const numbers = new Map<string, number>();
	return {
		numberOf: (text: string): number => {
			const known = numbers.get(text);
			if (known !== undefined) return known;
			numbers.set(text, numbers.size);
			return numbers.size - 1;
		},
		texts: (): readonly string[] => [...numbers.keys()],
	};
}

function hashOf(cells: Cells): number {
	const { view } = cells;
	let hash = hashCell(view, cells.activityStart, cells.activityEnd, 0x2545f491);
	hash = hashCell(view, cells.statusStart, cells.statusEnd, hash);
	hash = hashCell(view, cells.regimeStart, cells.regimeEnd, hash);
	hash = Math.imul(hash, 0xc2b2ae35);
	return hash ^ (hash >>> 16);
}

function isWritten(written: DataView, forms: Uint32Array, at: number, cells: Cells): boolean {
	const { view } = cells;
	const activity = forms[at] ?? 0;
	const status = forms[at + 1] ?? 0;
	const regime = forms[at + 2] ?? 0;
	return (
		isSame(written, activity, status, view, cells.activityStart, cells.activityEnd) &&
		isSame(written, status, regime, view, cells.statusStart, cells.statusEnd) &&
		isSame(written, regime, forms[at + 3] ?? 0, view, cells.regimeStart, cells.regimeEnd)
	);
}

/** A signed 32-bit integer, because an unsigned one would be computed in floating point. */
function mix(hash: number, word: number): number {
	const mixed = Math.imul(hash ^ word, 0x85ebca6b);
	return mixed ^ (mixed >>> 15);
}

// In cells of four bytes or more the last integer overlaps the one before it, so that no byte after the cell is read.

function hashCell(view: DataView, from: number, to: number, seed: number): number {
	let hash = mix(seed, to - from);
	if (to - from < 4) {
		for (let at = from; at < to; at++) hash = mix(hash, view.getUint8(at));
		return hash;
	}
	for (let at = from; at < to - 4; at += 4) hash = mix(hash, view.getInt32(at, true));
	return mix(hash, view.getInt32(to - 4, true));
}

function isSame(
	written: DataView,
	from: number,
	to: number,
	view: DataView,
	otherFrom: number,
	otherTo: number,
): boolean {
	if (to - from !== otherTo - otherFrom) return false;
	if (to - from < 4) {
		for (let at = from, other = otherFrom; at < to; at++, other++) {
			if (written.getUint8(at) !== view.getUint8(other)) return false;
		}
		return true;
	}
	for (let at = from, other = otherFrom; at < to - 4; at += 4, other += 4) {
		if (written.getInt32(at, true) !== view.getInt32(other, true)) return false;
	}
	return written.getInt32(to - 4, true) === view.getInt32(otherTo - 4, true);
}
