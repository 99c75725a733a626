/** From an invoice request to the e-CF that states it. Pure: no company, no database, no key. */
export { carries, findFormatFault, mostOf } from "../format";
export * from "../types";
export { listAdjustedSums } from "./adjustments";
export { defaultAdditionalRate, isPlaceCode } from "./codes";
export type { EcfAdditionalTax, EcfAdjustment, EcfInput, EcfInvoice, EcfIssuer, EcfLine } from "./ecf-input";
export { type Warning, WarningSchema } from "./findings";
export {
	type EcfPlan,
	findOtherIssuer,
	isSummaryPlan,
	isSummaryRoad,
	needsSequenceExpiry,
	planEcf,
} from "./plan-ecf";
export type { PlannedLine } from "./plan-lines";
export { checkIssuer } from "./plan-parties";
export type { PlannedTotals } from "./plan-totals";
export { writeEcf, writeSummary } from "./write-ecf";
