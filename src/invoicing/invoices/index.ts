/** Issuance and status: from the request to the verdict. */

export { checkForm, checkRequest } from "./check/check-request";
export { readRequestedAddresses } from "./check/check-tenant";
export {
	type AcknowledgedRing,
	createAcknowledgedRing,
	DryRun,
	draftTestDocument,
	findLastUsed,
	findTestDocuments,
	type IssueDeps,
	issueBatch,
	issueBytes,
	issuePlace,
	postInvoice,
	rehearseBytes,
	storeTestDocument,
	type TestDocument,
	type TestDocumentState,
	type TestDraft,
	type TestIssuer,
	toTestDocument,
} from "./issue";
export { Acknowledgement } from "./model/acknowledgement";
export {
	type AcceptedEcf,
	type AuthorityAnswerRow,
	findAcceptedEcf,
	findAnswersOf,
	findSignedEcf,
} from "./model/file-store";
export type { DocKey, InvoiceRow } from "./model/invoice-row";
export { type NewInvoice, xmlNameOf } from "./model/invoice-row";
export { readPapers, writePapers } from "./model/papers";
export { ageInvoices, findWholeInvoice, reopenInvoice, type ShownInvoice } from "./model/store";
export { dropOldPapers } from "./retention/paper-days";
export { countKeptDays, listPartitions } from "./retention/store";
export { createIssuing, invoiceOperations } from "./routes/routes";
export { listInvoicesOperation } from "./routes/routes-read";
export {
	archiveDecided,
	createArchiveInvoice,
	createSubmit,
	expediteSubmissions,
	findCarried,
	SUBMISSION_WORK,
	storeCarried,
	verdictEvents,
	wakeWaitingNotes,
} from "./submit";
export { findFailed, findRejected, measureWaiting, type RefusedInvoice } from "./view/attention-store";
export { createInvoiceFiles, INVOICE_CHOICE } from "./view/exports";
export { measureLoad, measureQueue } from "./view/load-store";
export { docIdParameter, findOwnInvoice, TAG as INVOICES_TAG } from "./view/own-invoice";
export { gatherPrintJob } from "./view/print-job";
export type { FindInvoiceApproval } from "./view/record";
