/** Finds taxpayers by name. */
export { MATCHED_FIELDS, matchName } from "./match-name";
export { createSlices } from "./slices";
