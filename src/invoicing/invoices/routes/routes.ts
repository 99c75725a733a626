/** The operations on invoices: issue, list, read, follow until the verdict, fetch what was signed, try again. */
import { createRequestQueue } from "../../../platform/idempotency";
import type { Operation } from "../../../platform/operation";
import { createNumbering } from "../../sequences";
import { createIntake } from "../issue/admission-control";
import { createGathered } from "../issue/batched-queries";
import type { PostDeps } from "../issue/post-invoice";
import { batchInvoicesOperation, type PostBatchDeps } from "./routes-batch";
import { convertLegacyOperation } from "./routes-convert";
import {
	getInvoiceAcknowledgementOperation,
	getInvoiceDeliveryOperation,
	retryInvoiceDeliveryOperation,
} from "./routes-delivery";
import { listInvoiceEventsOperation } from "./routes-events";
import { postInvoiceOperation } from "./routes-issue";
import { listInvoicesOperation } from "./routes-list";
import { getInvoicePdfOperation, type PdfDeps } from "./routes-pdf";
import { getInvoiceEvidenceOperation, getInvoiceProofOperation, type ProofDeps } from "./routes-proof";
import {
	getFiscalInvoiceOperation,
	getInvoiceByCompanyOperation,
	getInvoiceOperation,
	type RecordDeps,
} from "./routes-record";
import { retryInvoiceOperation } from "./routes-retry";
import { getInvoiceStatusOperation } from "./routes-status";
import { getInvoiceStatusesOperation } from "./routes-statuses";
import { getInvoiceXmlOperation } from "./routes-xml";

export type InvoiceDeps = Omit<
	PostDeps & PostBatchDeps & PdfDeps & ProofDeps & RecordDeps,
	"requestQueue" | "gathered" | "numbering" | "intake"
>;

export function invoiceOperations(given: InvoiceDeps): Operation[] {
	const deps = {
		...given,
		gathered: createGathered(given),
		numbering: createNumbering(given),
		requestQueue: createRequestQueue(),
		intake: createIntake(),
	};
	return [
		postInvoiceOperation(deps),
		batchInvoicesOperation(deps),
		listInvoicesOperation(deps),
		getInvoiceOperation(deps),
		getInvoiceByCompanyOperation(deps),
		getInvoiceStatusOperation(deps),
		getInvoiceStatusesOperation(deps),
		listInvoiceEventsOperation(deps),
		getInvoiceXmlOperation(deps),
		getInvoicePdfOperation(deps),
		getInvoiceDeliveryOperation(deps),
		getInvoiceAcknowledgementOperation(deps),
		retryInvoiceDeliveryOperation(deps),
		getInvoiceProofOperation(deps),
		getInvoiceEvidenceOperation(deps),
		retryInvoiceOperation(deps),
		getFiscalInvoiceOperation(deps),
		convertLegacyOperation(deps),
	];
}
