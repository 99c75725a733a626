/** Suggests taxpayers while a user types. */
export { createSuggest, type Suggest, type Suggestion, type Suggestions } from "./suggest";
