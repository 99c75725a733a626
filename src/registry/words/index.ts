/** The words of names: how they are folded, and under which words they are found. */
export { ABBREVIATION_CLASSES, isSameAbbreviated, otherSpellings } from "./abbreviations";
export { canonicalWords, FORMS, FORMS_IN_A_ROW, isLink, type WordKind } from "./canonical-words";
export { normaliseText } from "./normalise";
