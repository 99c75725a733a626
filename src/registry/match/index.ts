/** Finds taxpayers by name. */
export { decideMatch, MATCHED_FIELDS, matchName } from "./match-name";
export { scoreNameOf } from "./name-score";
export { type Likeness, type SmartHits, searchSmart } from "./search-smart";
export { createAbandonedCheck, createSlices, type Slices } from "./slices";
