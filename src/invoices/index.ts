/** Issuance and status: from the request to the verdict. */
export { createArchiveInvoice } from "./archive-invoice";
export { readAskedAddresses } from "./asked-mail";
export { type AcceptedEcf, type AuthorityAnswerRow, findAcceptedEcf, findAnswersOf } from "./file-store";
export { hastenSubmissions } from "./hasten-store";
export { InvoiceRequest } from "./invoice";
export type { FindInvoiceApproval } from "./invoice-approval";
export type { InvoiceRow } from "./invoice-row";
export { measureLoad } from "./load-store";
export { ARCHIVE_KIND, ASKED_MAIL_KIND, SUBMIT_KIND, TEST_SET_KIND } from "./message-kinds";
export { docIdParameter, findOwnInvoice, TAG as INVOICES_TAG } from "./own-invoice";
export { gatherPrintJob, type PrintJobDeps } from "./print-job";
export { invoiceOperations } from "./routes";
export { ageInvoices, findInvoice } from "./store";
export { createSubmit } from "./submit-invoice";
export { draftTestDocument, type TestDocument, type TestDraft, type TestIssuer, toTestDocument } from "./test-document";
export { findLastUsed, findTestDocuments, storeTestDocument, type TestDocumentState } from "./test-document-store";
export { toTypeSchema } from "./type-schema";
export { xmlNameOf } from "./xml-name";
