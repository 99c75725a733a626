/** The operations on invoices: issue, list, read, follow to the verdict, download, retry. */
import { createRequestQueue } from "../../../platform/idempotency";
import type { Operation } from "../../../platform/operation";
import { createNumbering } from "../../sequences";
import { createAdmissionControl, createBatchedQueries, type IssueDeps } from "../issue";
import type { InvoiceDeps } from "../view/own-invoice";
import { batchInvoicesOperation } from "./routes-batch";
import {
	getInvoiceAcknowledgementOperation,
	getInvoiceDeliveryOperation,
	retryInvoiceDeliveryOperation,
} from "./routes-delivery";
import { getInvoiceDraftOperation } from "./routes-draft";
import { getInvoicePdfOperation, getInvoiceXmlOperation } from "./routes-files";
import { convertLegacyOperation, postInvoiceOperation } from "./routes-issue";
import { getInvoiceEvidenceOperation, getInvoiceProofOperation } from "./routes-proof";
import {
	getFiscalInvoiceOperation,
	getInvoiceByCompanyOperation,
	getInvoiceOperation,
	listInvoiceEventsOperation,
	listInvoicesOperation,
} from "./routes-read";
import { getInvoiceStatusesOperation, getInvoiceStatusOperation, retryInvoiceOperation } from "./routes-status";

/** What all operations that issue share in a process: slots, queues and batches. */
export function createIssuing(deps: Omit<InvoiceDeps, "findApproval">): IssueDeps {
	return {
		...deps,
		queries: createBatchedQueries(deps),
		numbering: createNumbering(deps),
		requestQueue: createRequestQueue(),
		admission: createAdmissionControl(),
	};
}

export function invoiceOperations(deps: InvoiceDeps, issueDeps: IssueDeps): Operation[] {
	return [
		postInvoiceOperation(issueDeps, deps),
		batchInvoicesOperation(issueDeps, deps),
		listInvoicesOperation(deps),
		getInvoiceOperation(deps),
		getInvoiceByCompanyOperation(deps),
		getInvoiceStatusOperation(deps),
		getInvoiceStatusesOperation(deps),
		listInvoiceEventsOperation(deps),
		getInvoiceDraftOperation(deps),
		getInvoiceXmlOperation(deps),
		getInvoicePdfOperation(deps),
		getInvoiceDeliveryOperation(deps),
		getInvoiceAcknowledgementOperation(deps),
		retryInvoiceDeliveryOperation(deps),
		getInvoiceProofOperation(deps),
		getInvoiceEvidenceOperation(deps),
		retryInvoiceOperation(deps),
		getFiscalInvoiceOperation(deps),
		convertLegacyOperation(issueDeps),
	];
}
