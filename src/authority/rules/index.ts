/** The authority's business rules, checked before a document is signed. */
export { checkBusinessRules } from "./check-rules";
export type { OriginalDocument } from "./rule";
