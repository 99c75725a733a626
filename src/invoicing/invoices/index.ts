/** Issuance and status: from the request to the verdict. */

export { readAskedAddresses } from "./check/requested-emails";
export { toTypeSchema } from "./check/type-schema";
export { type AcceptedEcf, type AuthorityAnswerRow, findAcceptedEcf, findAnswersOf } from "./model/file-store";
export { InvoiceRequest } from "./model/invoice";
export type { InvoiceRow } from "./model/invoice-row";
export { ARCHIVE_KIND, ASKED_MAIL_KIND, SUBMIT_KIND, TEST_SET_KIND } from "./model/message-kinds";
export { ageInvoices, findInvoice } from "./model/store";
export { xmlNameOf } from "./model/xml-name";
export { invoiceOperations } from "./routes/routes";
export { createArchiveInvoice } from "./submit/archive-invoice";
export { hastenSubmissions } from "./submit/expedite-submissions";
export { createSubmit } from "./submit/submit-invoice";
export {
	draftTestDocument,
	type TestDocument,
	type TestDraft,
	type TestIssuer,
	toTestDocument,
} from "./test-sets/test-document";
export {
	findLastUsed,
	findTestDocuments,
	storeTestDocument,
	type TestDocumentState,
} from "./test-sets/test-document-store";
export type { FindInvoiceApproval } from "./view/invoice-approval";
export { measureLoad } from "./view/load-store";
export { docIdParameter, findOwnInvoice, TAG as INVOICES_TAG } from "./view/own-invoice";
export { gatherPrintJob, type PrintJobDeps } from "./view/print-job";
