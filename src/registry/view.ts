/**
 * The data of one ingest run, as operations that answer many things at once use it: taken once for an answer, so that no
 * answer mixes two runs. Whatever was erased is left out by the functions themselves.
 */
import { Problem } from "../problem";
import type { TaxpayerDocument } from "../values";
import type { RegistryEntry } from "./entry";
import type { SearchHits, SearchQuery } from "./snapshot/search";
import type { RunRow } from "./store";

export type RegistryView = {
	readonly run: RunRow;
	readonly lookup: (document: TaxpayerDocument) => RegistryEntry | undefined;
	readonly search: (query: SearchQuery) => SearchHits;
	/** The distinct folded words of all text fields, each once, and how many rows hold each. */
	readonly words: () => Iterable<readonly [word: string, rows: number]>;
};

/** Undefined until something was loaded. */
export type TakeView = () => RegistryView | undefined;

const RETRY_AFTER_SECONDS = 5;

/** The view to answer from. Throws: registry-unavailable: an unknown answer must not look like an empty one. */
export function viewOrProblem(takeView: TakeView): RegistryView {
	const view = takeView();
	if (!view) throw new Problem("registry-unavailable", { headers: { "retry-after": String(RETRY_AFTER_SECONDS) } });
	return view;
}
