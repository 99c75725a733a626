/** Issuance and status: from the request to the verdict. */
export { type AcceptedEcf, findAcceptedEcf } from "./accepted-ecf";
export { createArchiveInvoice, RETENTION_YEARS } from "./archive-invoice";
export { type AuthorityAnswerRow, findAnswersOf } from "./file-store";
export { hastenSubmissions } from "./hasten-store";
export { InvoiceRequest } from "./invoice";
export type { FindInvoiceApproval } from "./invoice-approval";
export type { InvoiceRow } from "./invoice-row";
export { issueInvoice } from "./issue-invoice";
export type { IssueDeps } from "./issue-request";
export { measureLoad } from "./load-store";
export { docIdParameter, findOwnInvoice, TAG as INVOICES_TAG } from "./own-invoice";
export { gatherPrintJob, type PrintJobDeps } from "./print-job";
export { invoiceOperations } from "./routes";
export { ageInvoices, findInvoice } from "./store";
export type { Signatory, SubmitDeps } from "./submission-work";
export { createSubmit } from "./submit-invoice";
export {
	draftTestDocument,
	findLastUsed,
	findTestDocuments,
	storeTestDocument,
	TEST_SET_KIND,
	type TestDocument,
	type TestDocumentState,
	type TestDraft,
	type TestIssuer,
	toTestDocument,
} from "./test-document";
export { toTypeSchema } from "./type-schema";
