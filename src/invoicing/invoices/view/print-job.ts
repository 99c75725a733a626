/** Gathers what decides a printed document: its signed bytes, where it stands now, the company's paper and logo. */
import { segmentOfQrUrl } from "../../../authority/client";
import { findLetterhead } from "../../../companies";
import type { PrintFormat, PrintJob, Standing } from "../../../ecf/printing";
import { retryOnFailure } from "../../../platform/database";
import { findSignedDocument } from "../model/file-store";
import type { InvoiceRow } from "../model/invoice-row";
import type { InvoiceDeps } from "./own-invoice";

/** On the company's paper unless a format is told. */
export async function gatherPrintJob(
	deps: Pick<InvoiceDeps, "sql" | "environment" | "authorityStatus">,
	row: InvoiceRow,
	format?: PrintFormat,
): Promise<PrintJob> {
	const [document, letterhead] = await Promise.all([
		retryOnFailure(() => findSignedDocument(deps.sql, row.docId, "ecf")),
		retryOnFailure(() => findLetterhead(deps.sql, row.tenantId)),
	]);
	if (!document || !letterhead) throw new Error(`document ${row.docId} has no signed bytes or no company`);
	const paper = letterhead.printFormat;
	return {
		format: format ?? paper,
		paper,
		signedXml: document.bytes,
		qrUrl: row.print.qrUrl,
		standing: await toStanding(deps, row),
		isTest: deps.environment !== "production" || segmentOfQrUrl(row.print.qrUrl) === "testecf",
		logo: letterhead.logo ?? undefined,
	};
}

/** One that the authority has got waits for its word alone; one that it has not is of a contingency where it could not be, or cannot be, brought in. */
async function toStanding(
	{ authorityStatus }: Pick<InvoiceDeps, "sql" | "environment" | "authorityStatus">,
	row: InvoiceRow,
): Promise<Standing> {
	const { status, contingencySince, authorityTrackId } = row;
	if (status !== "pending") return status;
	if (contingencySince !== null) return "contingency";
	const segment = segmentOfQrUrl(row.print.qrUrl);
	if (authorityTrackId !== null || segment === undefined) return status;
	return (await retryOnFailure(() => authorityStatus.isContingency(segment))) ? "contingency" : status;
}
