/** Searches for taxpayers: parameters, cursors, highlights and misspelt words. */
export { findHighlights, Highlight } from "./highlight";
export { expandQuery, searchFuzzy, suggestText } from "./search-fuzzy";
export { isFuzzy, isHighlighted, readText, sealCursor, searchParameters, toSearchQuery } from "./search-query";
export { buildVocabulary, createVocabularyCache, type Vocabulary } from "./vocabulary";
export { editDistances, soundOf } from "./word-distance";
