/** Issuance and status: from the request to the verdict. */
export { createArchiveInvoice } from "./archive-invoice";
export { InvoiceRequest } from "./invoice";
export { issueInvoice } from "./issue-invoice";
export type { IssueDeps } from "./issue-request";
export { invoiceOperations } from "./routes";
export { ageInvoices } from "./store";
export type { Signatory, SubmitDeps } from "./submission-work";
export { createSubmit } from "./submit-invoice";
export { toTypeSchema } from "./type-schema";
