/**
 * What our copy held of an entry at the end of each day. A day ends at midnight in UTC-4. Periods are read backwards from the run's own entry,
 * undoing one change after another.
 */
import { toLocalIsoDate } from "../../platform/values";
import type { RegistryEntry } from "../entry";
import { digitsOf } from "../index/index";
import { findKey, type HistoryColumns, type HistoryFile, textOf } from "./history-file";

/** The members that change, in the order of an entry. */
export const HISTORY_MEMBERS = [
	"name",
	"trade_name",
	"economic_activity",
	"status",
	"payment_regime",
] as const satisfies readonly (keyof RegistryEntry)[];
export type HistoryMember = (typeof HISTORY_MEMBERS)[number];

/** The earlier values of the members that changed; all of them for an entry that was removed. */
export type Was = Partial<Record<HistoryMember, string>>;

const DAY_MS = 86_400_000;

export function dayOf(at: Date): number {
	return fromIsoDay(toLocalIsoDate(at));
}

export function fromIsoDay(iso: string): number {
	return Math.floor(Date.parse(`${iso}T00:00:00Z`) / DAY_MS);
}

export function toIsoDay(day: number): string {
	return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Days, both included, at whose end our copy held the same. */
export type Period = {
	readonly from: number;
	/** Undefined while it lasts. */
	readonly to: number | undefined;
	/** The run, or the import, that brought it. */
	readonly runId: string;
	/** Undefined if the copy had no entry. */
	readonly entry: RegistryEntry | undefined;
	/** Members that differ from the period before; empty for the first one known, and where an entry appears or disappears. */
	readonly changed: readonly HistoryMember[];
};

/** The periods of a key, newest first. `now` is its entry in the run of the file. */
export function* listPeriods(
	{ manifest, columns }: HistoryFile,
	key: number,
	now: RegistryEntry | undefined,
): Generator<Period, void, void> {
	const [begin] = manifest.begins;
	if (!begin) return;
	const { keys, starts, moments, states } = columns;
	const place = findKey(keys, key);
	const isKnown = keys[place] === key;
	const first = isKnown ? (starts[place] ?? 0) : 0;
	let entry = now;
	let to: number | undefined;
	for (let i = isKnown ? (starts[place + 1] ?? 0) - 1 : -1; i >= first; i--) {
		const state = states[i] ?? 0;
		const was = state === 0 ? undefined : readWas(columns, state);
		const before = was && undo(entry, was, key);
		// Two runs of a day may cancel each other.
		const changed = listChanged(before, entry);
		if (changed === undefined) continue;
		const moment = manifest.moments[moments[i] ?? 0];
		if (!moment) return;
		yield { from: moment.day, to, runId: moment.runId, entry, changed };
		entry = before;
		to = moment.day - 1;
	}
	if (to === undefined || to >= begin.day) yield { from: begin.day, to, runId: begin.runId, entry, changed: [] };
}

/** Most states are common, such as one earlier status. */
const WAS_KEPT = 4_096;
const kept = new WeakMap<HistoryColumns, Map<number, Was>>();

/** Parses a state, or finds it among those parsed before. */
function readWas(columns: HistoryColumns, state: number): Was {
	let known = kept.get(columns);
	if (!known) {
		known = new Map();
		kept.set(columns, known);
	}
	const found = known.get(state);
	if (found) return found;
	const was = JSON.parse(textOf(columns, state)) as Was;
	if (known.size < WAS_KEPT) known.set(state, was);
	return was;
}

/** What our copy held at the end of a day; undefined for a day before the first. */
export function findPeriod(
	history: HistoryFile,
	key: number,
	now: RegistryEntry | undefined,
	day: number,
): Period | undefined {
	for (const period of listPeriods(history, key, now)) if (period.from <= day) return period;
	return undefined;
}

function undo(entry: RegistryEntry | undefined, was: Was, key: number): RegistryEntry {
	return {
		rnc: entry?.rnc ?? digitsOf(key),
		name: was.name ?? entry?.name ?? "",
		trade_name: was.trade_name ?? entry?.trade_name ?? "",
		economic_activity: was.economic_activity ?? entry?.economic_activity ?? "",
		status: was.status ?? entry?.status ?? "",
		payment_regime: was.payment_regime ?? entry?.payment_regime ?? "",
	};
}

/** Undefined if nothing differs. */
function listChanged(
	before: RegistryEntry | undefined,
	after: RegistryEntry | undefined,
): readonly HistoryMember[] | undefined {
	if (!before || !after) return before === after ? undefined : [];
	const changed = HISTORY_MEMBERS.filter((member) => before[member] !== after[member]);
	return changed.length === 0 ? undefined : changed;
}
