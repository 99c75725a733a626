/** The printed representation of a document: PDF for A4 and thermal paper, ESC/POS for receipt printers. */
export { printAmount } from "./amounts";
export { titleOf } from "./names";
export {
	fileOf,
	legendsFor,
	PRINT_FORMATS,
	type PrintFormat,
	type PrintJob,
	type Standing,
	VALIDITY_LEGEND,
} from "./print-job";
export { createPrinter, type Printer, tagOf } from "./printer";
