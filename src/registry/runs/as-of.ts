/** What our copy held of an entry on earlier days, as far back as the caller may see. */
import { msg, Problem } from "../../platform/problem";
import type { Clock, TaxpayerDocument } from "../../platform/values";
import type { RegistryEntry } from "../entry";
import type { Tombstones } from "../erasure";
import { dayOf, findPeriod, fromIsoDay, listPeriods, type Period, toIsoDay } from "../history";
import { keyOf, lookupEntry } from "../index/index";
import { type Current, type Loaded, registryUnavailable } from "./current";

export type HistoryDeps = { readonly current: Current; readonly tombstones: Tombstones; readonly clock: Clock };

type Asked = {
	/** How many days back the caller's plan shows; null for all. */
	readonly historyDays: number | null;
};

/** What our copy held at the end of a day. Days are `YYYY-MM-DD` in UTC-4. */
export type EntryAsOf = {
	/** Undefined if the copy had no entry then, or it was erased since. */
	readonly entry: RegistryEntry | undefined;
	/** The run, or the operator's import, that brought it. */
	readonly runId: string;
	/** First and last day with the same values; `seenTo` is null while they last. */
	readonly seenFrom: string;
	readonly seenTo: string | null;
};

type LoadedHistory = NonNullable<ReturnType<Current["getHistory"]>>;
type ErasedNumbers = Pick<Tombstones, "isErased" | "fingerprint">;

type History = {
	readonly loaded: LoadedHistory;
	readonly today: number;
	/** The first day that the caller may see. */
	readonly begins: number;
};

/** Throws: registry-unavailable, also while the history is built. */
function openHistoryFor({ current, clock }: HistoryDeps, { historyDays }: Asked): History {
	const loaded = current.getHistory();
	const [begin] = loaded?.history.manifest.begins ?? [];
	if (!loaded || !begin) throw registryUnavailable();
	const today = dayOf(clock.now());
	const begins = historyDays === null ? begin.day : Math.max(begin.day, today - historyDays);
	return { loaded, today, begins };
}

/**
 * Finds what many numbers had at the end of one day, all in one run. Throws: validation-error for a day in the future, at `pointer`;
 * history-not-available; registry-unavailable.
 */
export function openDay(
	deps: HistoryDeps,
	asked: Asked & { readonly day: string; readonly pointer: string },
): { readonly loaded: Loaded; readonly find: (document: TaxpayerDocument) => EntryAsOf } {
	const { loaded, today, begins } = openHistoryFor(deps, asked);
	const day = fromIsoDay(asked.day);
	if (day > today) {
		const detail = msg`Later than today, ${toIsoDay(today)} (UTC-4).`;
		const fault = { pointer: asked.pointer, code: "future-date", detail };
		throw new Problem("validation-error", { faults: [fault] });
	}
	if (day < begins) {
		throw new Problem("history-not-available", { extensions: { history_begins: toIsoDay(begins) } });
	}
	const find = (document: TaxpayerDocument): EntryAsOf => {
		const period = findPeriodOn(loaded, deps.tombstones, document, day);
		if (!period) throw new Error(`no period of the history contains day ${day}`);
		return {
			entry: period.entry,
			runId: period.runId,
			seenFrom: toIsoDay(Math.max(period.from, begins)),
			seenTo: period.to === undefined ? null : toIsoDay(period.to),
		};
	};
	return { loaded, find };
}

/** What a run's history has of a number at the end of a day; undefined for a day before the first. Units: days since 1970, in UTC-4. */
export function findPeriodOn(
	loaded: LoadedHistory,
	tombstones: ErasedNumbers,
	document: TaxpayerDocument,
	day: number,
): Period | undefined {
	const isErased = findErased(loaded, tombstones, document);
	const now = isErased ? undefined : lookupEntry(loaded.snapshot, document.digits);
	// An erased number is looked for like one that never existed.
	return findPeriod(loaded.history, isErased ? Number.NaN : keyOf(document.digits), now, day);
}

function findErased(loaded: LoadedHistory, tombstones: ErasedNumbers, { digits }: TaxpayerDocument): boolean {
	const fingerprint = tombstones.fingerprint();
	const isClear = [loaded.history, loaded.snapshot].every(({ manifest }) => manifest.clearedOf === fingerprint);
	return !isClear && tombstones.isErased(digits);
}

type HeldPeriod = Period & { readonly entry: RegistryEntry };

export type EntryPeriods = {
	readonly loaded: Loaded;
	readonly begins: string;
	/** Newest first. The copy had no entry on days between two of them. */
	readonly periods: readonly HeldPeriod[];
	readonly isPartial: boolean;
};

/** The periods in which our copy had an entry, at most `limit`. Throws: registry-unavailable. */
export function findPeriods(
	deps: HistoryDeps,
	document: TaxpayerDocument,
	{ limit, ...asked }: Asked & { readonly limit: number },
): EntryPeriods {
	const { loaded, begins } = openHistoryFor(deps, asked);
	const found = { loaded, begins: toIsoDay(begins) };
	const periods: HeldPeriod[] = [];
	if (findErased(loaded, deps.tombstones, document)) return { ...found, periods, isPartial: false };
	const now = lookupEntry(loaded.snapshot, document.digits);
	for (const period of listPeriods(loaded.history, keyOf(document.digits), now)) {
		const { entry } = period;
		if (period.to !== undefined && period.to < begins) break;
		if (!entry) continue;
		if (periods.length === limit) return { ...found, periods, isPartial: true };
		// A plan's first day is not the day of a change.
		const isCut = period.from < begins;
		periods.push({ ...period, entry, ...(isCut ? { from: begins, changed: [] } : {}) });
	}
	return { ...found, periods, isPartial: false };
}
