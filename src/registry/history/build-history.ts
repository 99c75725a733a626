/** Builds history files: the previous run's file and new rows become the next run's. Runs in the ingest's thread. */
import { crc32 } from "node:zlib";
import type { RegistryEntry } from "../entry";
import { compareSnapshots, entryAt, type Snapshot } from "../index/index";
import { findKey, type HistoryColumns, type HistoryFile, type Moment, textOf } from "./history-file";
import { HISTORY_MEMBERS, type Was } from "./periods";

/**
 * Changes on their way between threads, the table and a file: ascending by key, and by day within a key. `states` are places in `texts`, whose
 * first is empty and stands for an entry that did not exist.
 */
export type HistoryRows = {
	readonly moments: readonly Moment[];
	readonly keys: Float64Array;
	readonly at: Uint16Array;
	readonly states: Uint32Array;
	readonly texts: readonly string[];
};

/** Moments in ten years of hourly runs are about 88,000; of daily ones 3,650. */
const MOMENTS_MAX = 65_536;

export function createHistoryRows() {
	const moments = createMoments();
	const places = new Map<string, number>([["", 0]]);
	const keys: number[] = [];
	const at: number[] = [];
	const states: number[] = [];
	return {
		/** Without `was` the entry did not exist. */
		add: (key: number, moment: Moment, was: Was | undefined): void => {
			const text = was ? toText(was) : "";
			let place = places.get(text);
			if (place === undefined) {
				place = places.size;
				places.set(text, place);
			}
			keys.push(key);
			at.push(moments.placeOf(moment));
			states.push(place);
		},
		finish: (): HistoryRows => ({
			moments: moments.list,
			keys: Float64Array.from(keys),
			at: Uint16Array.from(at),
			states: Uint32Array.from(states),
			texts: [...places.keys()],
		}),
	};
}

/** One text for the same values, in whatever order the database returns them. */
function toText(was: Was): string {
	const ordered: Was = {};
	for (const member of HISTORY_MEMBERS) if (was[member] !== undefined) ordered[member] = was[member];
	return JSON.stringify(ordered);
}

export function* readHistoryRows({ keys, at, states, texts, moments }: HistoryRows): Generator<{
	readonly key: number;
	readonly moment: Moment;
	/** JSON; empty if the entry did not exist. */
	readonly text: string;
}> {
	for (let i = 0; i < keys.length; i++) {
		const moment = moments[at[i] ?? 0];
		if (!moment) throw new Error("a change of the history has no moment");
		yield { key: keys[i] ?? 0, moment, text: texts[states[i] ?? 0] ?? "" };
	}
}

/** What a run changed. Erased entries, which an earlier file may still hold, are left out. */
export function compareForHistory(
	before: Snapshot,
	after: Snapshot,
	moment: Moment,
	isErased: ((key: number) => boolean) | undefined,
): HistoryRows {
	const rows = createHistoryRows();
	for (const difference of compareSnapshots(before, after)) {
		const key = (difference.kind === "removed" ? before.keys[difference.rowBefore] : after.keys[difference.row]) ?? 0;
		if (isErased?.(key)) continue;
		const entryBefore = difference.kind === "added" ? undefined : entryAt(before, difference.rowBefore);
		const entry = difference.kind === "removed" ? undefined : entryAt(after, difference.row);
		addChange(rows, key, moment, entryBefore, entry);
	}
	return rows.finish();
}

/** Adds the change from one entry to another, unless none of its members differ. */
export function addChange(
	rows: Pick<ReturnType<typeof createHistoryRows>, "add">,
	key: number,
	moment: Moment,
	before: RegistryEntry | undefined,
	after: RegistryEntry | undefined,
): void {
	if (!before) {
		if (after) rows.add(key, moment, undefined);
		return;
	}
	const changed = HISTORY_MEMBERS.filter((member) => before[member] !== after?.[member]);
	if (changed.length > 0) rows.add(key, moment, Object.fromEntries(changed.map((member) => [member, before[member]])));
}

function createMoments(known: readonly Moment[] = []) {
	const list: Moment[] = [...known];
	const places = new Map(list.map(({ runId, day }, i) => [`${day} ${runId}`, i]));
	return {
		list: list as readonly Moment[],
		placeOf: (moment: Moment): number => {
			const name = `${moment.day} ${moment.runId}`;
			let place = places.get(name);
			if (place !== undefined) return place;
			place = list.length;
			if (place === MOMENTS_MAX) throw new RangeError(`a history has at most ${MOMENTS_MAX} runs with changes`);
			places.set(name, place);
			list.push({ day: moment.day, runId: moment.runId });
			return place;
		},
	};
}

type Merged = { readonly columns: HistoryColumns; readonly moments: readonly Moment[] };

/**
 * Adds rows to a history; none of them may be older than its newest. A second change on one day keeps the first one's moment and earlier
 * values, since those were held at the end of the day before.
 */
export function mergeHistory(base: HistoryFile | undefined, rows: HistoryRows): Merged {
	const old = base?.columns ?? EMPTY;
	const moments = createMoments(base?.manifest.moments);
	const places = rows.moments.map(moments.placeOf);
	const texts = createTexts(old);
	const stateOf = new Map<number, number>([[0, 0]]);
	const toState = (place: number): number => {
		let state = stateOf.get(place);
		if (state === undefined) {
			state = texts.placeOf(rows.texts[place] ?? "");
			stateOf.set(place, state);
		}
		return state;
	};
	const keys = new Float64Array(old.keys.length + rows.keys.length);
	const starts = new Uint32Array(keys.length + 1);
	const at = new Uint16Array(old.states.length + rows.keys.length);
	const states = new Uint32Array(at.length);
	let keyCount = 0;
	let count = 0;
	let taken = 0;
	const copyUntil = (end: number) => {
		keys.set(old.keys.subarray(taken, end), keyCount);
		const [from, to] = [old.starts[taken] ?? 0, old.starts[end] ?? 0];
		at.set(old.moments.subarray(from, to), count);
		states.set(old.states.subarray(from, to), count);
		const shift = count - from;
		for (; taken < end; taken++) starts[keyCount++] = (old.starts[taken] ?? 0) + shift;
		count += to - from;
	};
	for (let i = 0; i < rows.keys.length; ) {
		const key = rows.keys[i] ?? 0;
		const place = findKey(old.keys, key, taken);
		const isKnown = old.keys[place] === key;
		copyUntil(isKnown ? place + 1 : place);
		if (!isKnown) {
			keys[keyCount] = key;
			starts[keyCount++] = count;
		}
		const first = starts[keyCount - 1] ?? 0;
		for (; rows.keys[i] === key; i++) {
			const moment = places[rows.at[i] ?? 0] ?? 0;
			const state = toState(rows.states[i] ?? 0);
			const last = count - 1;
			if (last >= first && moments.list[at[last] ?? 0]?.day === moments.list[moment]?.day) {
				states[last] = texts.combine(states[last] ?? 0, state);
				continue;
			}
			at[count] = moment;
			states[count++] = state;
		}
	}
	copyUntil(old.keys.length);
	starts[keyCount] = count;
	const columns = {
		keys: keys.subarray(0, keyCount),
		starts: starts.subarray(0, keyCount + 1),
		moments: at.subarray(0, count),
		states: states.subarray(0, count),
		...texts.finish(),
	};
	return { columns, moments: moments.list };
}

const EMPTY: HistoryColumns = {
	keys: new Float64Array(0),
	starts: new Uint32Array(1),
	moments: new Uint16Array(0),
	states: new Uint32Array(0),
	textStarts: new Uint32Array(2),
	texts: Buffer.alloc(0),
	slots: new Uint32Array(1_024),
};

/** The texts of a history with new ones behind them, each once. */
function createTexts(old: Pick<HistoryColumns, "textStarts" | "texts" | "slots">) {
	let bytes = Buffer.alloc(old.texts.length + 65_536);
	bytes.set(old.texts);
	let end = old.texts.length;
	let starts = new Uint32Array(old.textStarts.length + 1_024);
	starts.set(old.textStarts);
	let count = old.textStarts.length - 1;
	let slots = old.slots.slice();
	const put = (hash: number, text: number) => {
		let slot = hash & (slots.length - 1);
		while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
		slots[slot] = text + 1;
	};
	const placeOf = (text: string): number => {
		const wanted = Buffer.from(text);
		const hash = crc32(wanted);
		for (let slot = hash & (slots.length - 1); slots[slot] !== 0; slot = (slot + 1) & (slots.length - 1)) {
			const place = (slots[slot] ?? 0) - 1;
			if (bytes.compare(wanted, 0, wanted.length, starts[place], starts[place + 1]) === 0) return place;
		}
		if (end + wanted.length > bytes.length) {
			const larger = Buffer.alloc(2 * bytes.length + wanted.length);
			larger.set(bytes.subarray(0, end));
			bytes = larger;
		}
		if (count + 2 > starts.length) {
			const longer = new Uint32Array(2 * starts.length);
			longer.set(starts);
			starts = longer;
		}
		bytes.set(wanted, end);
		end += wanted.length;
		const place = count++;
		starts[place + 1] = end;
		if (2 * count > slots.length) {
			slots = new Uint32Array(2 * slots.length);
			for (let i = 1; i < count; i++) put(crc32(bytes.subarray(starts[i], starts[i + 1])), i);
		} else put(hash, place);
		return place;
	};
	const read = (state: number) => JSON.parse(textOf({ textStarts: starts, texts: bytes }, state)) as Was;
	return {
		placeOf,
		/** What was held before the first of two changes. */
		combine: (first: number, second: number): number => {
			if (first === 0 || second === 0 || first === second) return first;
			return placeOf(toText({ ...read(second), ...read(first) }));
		},
		finish: () => ({ textStarts: starts.subarray(0, count + 1), texts: bytes.subarray(0, end), slots }),
	};
}

/** The history without some keys, and without every text that only they or nothing refers to; undefined if it has none of them. */
export function withoutKeys(
	columns: HistoryColumns,
	isErased: (key: number) => boolean,
): { readonly columns: HistoryColumns; readonly erased: readonly number[] } | undefined {
	const erased = Array.from(columns.keys.filter(isErased));
	if (erased.length === 0) return undefined;
	const gone = new Set(erased);
	const keys = columns.keys.filter((key) => !gone.has(key));
	const starts = new Uint32Array(keys.length + 1);
	const moments = new Uint16Array(columns.moments.length);
	const states = new Uint32Array(columns.states.length);
	const isUsed = new Uint8Array(columns.textStarts.length - 1);
	let count = 0;
	let kept = 0;
	columns.keys.forEach((key, place) => {
		if (gone.has(key)) return;
		starts[kept++] = count;
		for (let i = columns.starts[place] ?? 0; i < (columns.starts[place + 1] ?? 0); i++) {
			moments[count] = columns.moments[i] ?? 0;
			states[count++] = columns.states[i] ?? 0;
			isUsed[columns.states[i] ?? 0] = 1;
		}
	});
	starts[kept] = count;
	const texts = Buffer.alloc(columns.texts.length);
	const textStarts = new Uint32Array(columns.textStarts.length);
	let end = 0;
	for (let i = 0; i < isUsed.length; i++) {
		textStarts[i] = end;
		if (isUsed[i] === 0) continue;
		const text = columns.texts.subarray(columns.textStarts[i], columns.textStarts[i + 1]);
		texts.set(text, end);
		end += text.length;
	}
	textStarts[isUsed.length] = end;
	return {
		erased,
		columns: {
			...{ keys, starts, textStarts, slots: columns.slots },
			...{ moments: moments.subarray(0, count), states: states.subarray(0, count), texts: texts.subarray(0, end) },
		},
	};
}
