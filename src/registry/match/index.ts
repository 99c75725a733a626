/** Finds taxpayers by name. */
export { decideMatch, MATCHED_FIELDS, matchName } from "./match-name";
export { scoreNameOf } from "./name-score";
export { searchSmart } from "./search-smart";
export { createAbandonedCheck, createSlices, type Slices } from "./slices";
