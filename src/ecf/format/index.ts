/** The authority's document formats as data, and what reads and writes XML by them. */
export { findFormatFault } from "./check-format";
export { carries, charactersMax, decimalsMax, ECF, mostOf } from "./ecf";
export { FORMAT_CURRENCIES } from "./element";
export { RFCE } from "./summary";
export { type Content, writeXml } from "./write-xml";
