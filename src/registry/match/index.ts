/** Finds taxpayers by name. */
export {
	compareMatches,
	decideMatch,
	type FieldMatch,
	MATCHED_FIELDS,
	matchFields,
	matchName,
	scoreEntries,
} from "./match-name";
export { scoreNameOf } from "./name-score";
export { searchSmart } from "./search-smart";
export { createAbandonedCheck, createSlices, type Slices } from "./slices";
