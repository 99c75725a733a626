/** Searches for taxpayers: parameters, cursors, highlights and misspelt words. */
export { expandInSteps, suggestText } from "./expand-query";
export { findHighlights, Highlight } from "./highlight";
export { joinOrSplit } from "./join-or-split";
export {
	isHighlighted,
	isSmart,
	readFilters,
	sealCursor,
	searchParameters,
	statusParameter,
	toSearchQuery,
	typeParameter,
} from "./search-query";
export { buildVocabulary, createVocabularyCache, rememberWords, type Vocabulary } from "./vocabulary";
export { editDistances, soundOf } from "./word-distance";
