/** The operations on invoices: issue, list, read, follow until the verdict, fetch what was signed, try again. */
import { createRequestQueue } from "../../../platform/idempotency";
import type { Operation } from "../../../platform/operation";
import { createNumbering } from "../../sequences";
import { createIntake } from "../issue/admission-control";
import { createGathered } from "../issue/batched-queries";
import type { PostDeps } from "../issue/post-invoice";
import { batchInvoicesOperation, type PostBatchDeps } from "./routes-batch";
import {
	getInvoiceAcknowledgementOperation,
	getInvoiceDeliveryOperation,
	retryInvoiceDeliveryOperation,
} from "./routes-delivery";
import { getInvoicePdfOperation, getInvoiceXmlOperation, type PdfDeps } from "./routes-files";
import { convertLegacyOperation, postInvoiceOperation } from "./routes-issue";
import { getInvoiceEvidenceOperation, getInvoiceProofOperation, type ProofDeps } from "./routes-proof";
import {
	getFiscalInvoiceOperation,
	getInvoiceByCompanyOperation,
	getInvoiceOperation,
	listInvoiceEventsOperation,
	listInvoicesOperation,
	type RecordDeps,
} from "./routes-read";
import { getInvoiceStatusesOperation, getInvoiceStatusOperation, retryInvoiceOperation } from "./routes-status";

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
