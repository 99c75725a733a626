/** Finds taxpayers by name. */
export { decideMatch, MATCHED_FIELDS, matchName } from "./match-name";
export { scoreNameOf } from "./name-score";
export { createSlices } from "./slices";
