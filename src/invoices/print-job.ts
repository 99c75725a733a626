/** Gathers what decides a printed document: its signed bytes, where it stands now, the company's paper and logo. */
import { findLetterhead } from "../companies";
import { retryOnFailure, type Sql } from "../database";
import type { PrintFormat, PrintJob, Standing } from "../documents";
import type { Environment } from "../values";
import { findSignedDocument } from "./file-store";
import type { InvoiceRow } from "./invoice-row";

export type PrintJobDeps = { readonly sql: Sql; readonly environment: Environment };

/** On the company's paper unless a format is told. */
export async function gatherPrintJob(deps: PrintJobDeps, row: InvoiceRow, format?: PrintFormat): Promise<PrintJob> {
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
		standing: toStanding(row),
		isTest: deps.environment !== "production" || isFreeTest(row.print.qrUrl),
		logo: letterhead.logo ?? undefined,
	};
}

function toStanding({ status, contingencySince }: InvoiceRow): Standing {
	return status === "pending" && contingencySince !== null ? "contingency" : status;
}

/** The environment that a document went to stands in the address of its QR. */
const isFreeTest = (qrUrl: string) => new URL(qrUrl).pathname.includes("/testecf/");
