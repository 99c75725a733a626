/** The printed representation of a document: PDF for A4, letter and thermal paper, ESC/POS for receipt printers. */
export { printAmount } from "./amounts";
export { isPicture } from "./logo";
export { titleOf } from "./names";
export {
	contingencyLegendsFor,
	fileOf,
	legendsFor,
	type Paper,
	PRINT_FORMATS,
	type PrintFormat,
	type PrintJob,
	type Standing,
} from "./print-job";
export { createPrinter, type Printer, tagOf } from "./printer";
