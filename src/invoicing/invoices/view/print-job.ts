/** Collects what a printed document depends on: its signed bytes, its current standing, the company's paper and logo. */
import { segmentOfQrUrl } from "../../../authority/client";
import { findLetterhead } from "../../../companies";
import type { Paper, PrintFormat, PrintJob, Standing } from "../../../ecf/printing";
import { retryOnFailure } from "../../../platform/database";
import { standingUnsent } from "../model/acknowledgement";
import { findSignedDocument } from "../model/file-store";
import type { InvoiceRow } from "../model/invoice-row";
import type { InvoiceDeps } from "./own-invoice";

/** Prints on the company's paper unless a format is given; ESC/POS for the company's printer unless a paper is given. */
export async function gatherPrintJob(
	deps: Pick<InvoiceDeps, "sql" | "environment" | "authorityStatus">,
	row: InvoiceRow,
	format?: PrintFormat,
	ownPaper?: Paper,
): Promise<PrintJob> {
	const [document, letterhead] = await Promise.all([
		retryOnFailure(() => findSignedDocument(deps.sql, row.docId, "ecf")),
		retryOnFailure(() => findLetterhead(deps.sql, row.tenantId)),
	]);
	if (!document || !letterhead) throw new Error(`document ${row.docId} has no signed bytes or no company`);
	const paper = letterhead.printFormat;
	return {
		format: format ?? paper,
		paper: ownPaper ?? paper,
		signedXml: document.bytes,
		qrUrl: row.print.qrUrl,
		standing: await toStanding(deps, row),
		isTest: deps.environment !== "production" || segmentOfQrUrl(row.print.qrUrl) === "testecf",
		logo: letterhead.logo ?? undefined,
	};
}

/** A pending document that the authority has not received is printed as a contingency during an outage. */
async function toStanding(deps: Pick<InvoiceDeps, "authorityStatus">, row: InvoiceRow): Promise<Standing> {
	const { status, contingencySince, authorityTrackId } = row;
	if (status !== "pending") return status;
	if (contingencySince !== null) return "contingency";
	const segment = segmentOfQrUrl(row.print.qrUrl);
	if (authorityTrackId !== null || segment === undefined) return status;
	return standingUnsent(deps, segment);
}
