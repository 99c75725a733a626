/** What the data in use alone answer, in a process with a database or without one. */
import type { Call } from "../platform/operation";
import { Problem } from "../platform/problem";
import type { Clock, TaxpayerDocument } from "../platform/values";
import type { RegistryEntry } from "./entry";
import type { Tombstones } from "./erasure";
import type { SearchHits, SearchQuery } from "./index/index";
import { createAbandonedCheck, createSlices, type Slices, scoreNameOf } from "./match";
import {
	type Current,
	type EntryAsOf,
	type EntryPeriods,
	findEntry,
	findPeriods,
	openDay,
	type RegistryView,
	type TakeView,
	viewOf,
} from "./runs";
import { createVocabularyCache, type Vocabulary } from "./search";
import { createSuggest, type Suggest, type Suggestions } from "./suggest";

export type AnswersFromMemory = {
	/** The entry of a number; undefined if there is none, if it is erased, and while nothing is loaded. */
	readonly lookup: (document: TaxpayerDocument) => RegistryEntry | undefined;
	/** The same. Throws: registry-unavailable while nothing is loaded. */
	readonly lookUpOrProblem: (document: TaxpayerDocument) => RegistryEntry | undefined;
	/**
	 * Entries for a text as it is typed, see `suggest/suggest.ts`; undefined for a text of fewer than two letters or digits. `withPersons`:
	 * natural persons are found too. Throws: registry-unavailable; service-unavailable if the caller has gone.
	 */
	readonly suggest: (
		call: Pick<Call, "request">,
		text: string,
		options: { readonly limit: number; readonly withPersons: boolean },
	) => Promise<Suggestions | undefined>;
	/**
	 * What our copy held of a number at the end of a day, `YYYY-MM-DD` in UTC-4. Throws: validation-error at `pointer` for a day in the future;
	 * history-not-available for a day before the first, or more than `historyDays` ago; registry-unavailable.
	 */
	readonly entryAsOf: (
		document: TaxpayerDocument,
		day: string,
		asked: { readonly pointer: string; readonly historyDays: number | null },
	) => EntryAsOf;
	/** The periods in which our copy had an entry, newest first. Throws: registry-unavailable. */
	readonly historyOf: (
		document: TaxpayerDocument,
		asked: { readonly limit: number; readonly historyDays: number | null },
	) => EntryPeriods;
	/** Throws: registry-unavailable. */
	readonly search: (query: SearchQuery) => SearchHits;
	/** How similar a name is to an entry's legal or commercial name, from 0 to 1. */
	readonly scoreName: (entry: RegistryEntry, name: string) => number;
	readonly isLoaded: () => boolean;
	/** Whether the whole file in use was checked. */
	readonly isVerified: () => boolean;
	readonly runId: () => string | undefined;
	/** SHA-256 of the authority's file that the data came from, hex. */
	readonly sourceSha256: () => string | undefined;
};

/** What the operations share with these answers. */
type MemoryParts = {
	readonly vocabularyFor: (view: RegistryView) => Promise<Vocabulary>;
	/** Shared by all that compares names. */
	readonly slices: Slices;
	readonly suggest: Suggest;
	readonly findView: TakeView;
};

export function answerFromMemory(deps: {
	readonly current: Current;
	readonly tombstones: Tombstones;
	readonly clock: Clock;
}): { readonly answers: AnswersFromMemory; readonly parts: MemoryParts } {
	const { current, tombstones } = deps;
	const vocabularyFor = createVocabularyCache();
	const slices = createSlices();
	const suggest = createSuggest({ vocabularyFor, slices });
	const findView = (): RegistryView | undefined => {
		const loaded = current.get();
		return loaded && viewOf(loaded, tombstones);
	};
	const viewNow = (): RegistryView => {
		const view = findView();
		if (!view) throw new Problem("registry-unavailable");
		return view;
	};
	return {
		answers: {
			lookup: (document) => findEntry(current.get(), tombstones, document),
			lookUpOrProblem: (document) => viewNow().lookup(document),
			suggest: async (call, text, { limit, withPersons }) => {
				const options = withPersons ? { limit } : { limit, kind: "rnc" as const };
				return suggest(viewNow(), text, options, createAbandonedCheck(call));
			},
			entryAsOf: (document, day, asked) => openDay(deps, { day, ...asked }).find(document),
			historyOf: (document, asked) => findPeriods(deps, document, asked),
			search: (query) => viewNow().search(query),
			scoreName: scoreNameOf,
			isLoaded: () => current.get() !== undefined,
			isVerified: () => current.get()?.isVerified === true,
			runId: () => current.get()?.run.runId,
			sourceSha256: () => current.get()?.run.sourceSha256 ?? undefined,
		},
		parts: { vocabularyFor, slices, suggest, findView },
	};
}
