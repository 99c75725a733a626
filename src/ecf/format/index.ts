/** The authority's document formats as data, and the code that reads and writes XML by them. */
export { carries, charactersMax, decimalsMax, ECF, mostOf, RFCE } from "./ecf";
export { FORMAT_CURRENCIES } from "./element";
export { type Content, findFormatFault, writeXml } from "./xml";
