/** Issuance and status: from the request to the verdict. */
export { createArchiveInvoice } from "./archive-invoice";
export { InvoiceRequest } from "./invoice";
export { type IssueDeps, issueInvoice } from "./issue-invoice";
export { invoiceOperations } from "./routes";
export type { Signatory, SubmitDeps } from "./submission-work";
export { createSubmit } from "./submit-invoice";
export { toTypeSchema } from "./type-schema";
