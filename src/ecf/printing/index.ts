/** The printed representation of a document: PDF for A4 and thermal paper, ESC/POS for receipt printers. */
export { printAmount } from "./amounts";
export { legendsFor, type Standing, VALIDITY_LEGEND } from "./legends";
export { titleOf } from "./names/code-names";
export { fileOf, PRINT_FORMATS, type PrintFormat, type PrintJob } from "./print-job";
export { createPrinter, type Printer, tagOf } from "./printer";
