/** The authority's business rules, checked before a document is signed. */
export { isCertainRejection } from "./certain-rejections";
export { checkBusinessRules } from "./check-rules";
export { isBuyerListed } from "./parties";
export type { OriginalDocument } from "./rule";
