/** From an invoice request to the e-CF that states it. Pure: no company, no database, no key. */
export { carries, findFormatFault } from "../format";
export * from "../types";
export { listAdjustedSums } from "./adjustments";
export { defaultAdditionalRate } from "./codes";
export { createWarning, cutText, toFault, type Warning, WarningSchema } from "./findings";
export {
	type EcfAdditionalTax,
	type EcfAdjustment,
	type EcfInput,
	type EcfInvoice,
	type EcfIssuer,
	type EcfLine,
	EXAMPLE_INVOICE,
	InvoiceRequest,
} from "./invoice-request";
export { isPlaceCode, listPlaces, placeName } from "./places";
export {
	type EcfPlan,
	findOtherIssuer,
	isLateCreditNote,
	isSummaryPlan,
	linesMaxOf,
	needsSequenceExpiry,
	planEcf,
} from "./plan-ecf";
export { baseOfLine, type PlannedLine } from "./plan-lines";
export { checkIssuer } from "./plan-parties";
export type { PlannedTotals } from "./plan-totals";
export { CURRENCIES } from "./request-parts";
export { toTypeSchema } from "./type-schema";
export { writeEcf, writeSummary } from "./write-ecf";
