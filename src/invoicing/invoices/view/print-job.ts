/** Collects what a printed document depends on: its signed bytes, its current standing, the company's paper and logo. */
import { segmentOfQrUrl } from "../../../authority/client";
import { findLetterhead } from "../../../companies";
import type { Paper, PrintFormat, PrintJob, Standing } from "../../../ecf/printing";
import { retryOnFailure } from "../../../platform/database";
import { type Call, oneOf, type Parameter, queryParameter, readQuery, tenantOf } from "../../../platform/operation";
import { Problem } from "../../../platform/problem";
import { type ReceiptPrint, standingUnsent } from "../model/acknowledgement";
import { findSignedEcf } from "../model/file-store";
import type { InvoiceRow } from "../model/invoice-row";
import { findWholeInvoice } from "../model/store";
import type { InvoiceDeps } from "./own-invoice";

/** Prints on the company's paper unless a format is given; ESC/POS for the company's printer unless a paper is given. */
export async function gatherPrintJob(
	deps: Pick<InvoiceDeps, "sql" | "readSealed" | "environment" | "authorityStatus">,
	row: InvoiceRow,
	format?: PrintFormat,
	ownPaper?: Paper,
): Promise<PrintJob> {
	const [signedXml, letterhead] = await Promise.all([
		retryOnFailure(() => findSignedEcf(deps, row)),
		retryOnFailure(() => findLetterhead(deps.sql, row.tenantId)),
	]);
	if (!signedXml || !letterhead) throw new Error(`document ${row.docId} has no signed bytes or no company`);
	const paper = letterhead.printFormat;
	return {
		format: format ?? paper,
		paper: ownPaper ?? paper,
		signedXml,
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

/*
 * `?print=escpos`: adds the receipt for an ESC/POS printer to the answer that issued a document. It is made while answering and never stored, so a
 * replay has it if it is asked for, with the document's standing of that time.
 */

export const RECEIPT_PARAMETERS: readonly Parameter[] = [
	{
		...queryParameter(
			"print",
			"`escpos`: the answer also has the receipt for an ESC/POS printer, in `print.escpos`. A replay has it too if it asks for it.",
			oneOf("escpos"),
		),
		example: "escpos",
	},
	{
		...queryParameter(
			"width",
			"Paper of `print=escpos`, in mm. Default: 58 if the company's `printFormat` is `thermal_58`, else 80.",
			oneOf("80", "58"),
		),
		example: "80",
	},
];

/** An issued document in an answer. */
type Issued = { readonly docId: string; print: ReceiptPrint };

/** Adds the receipt to each document of the answer if the caller asked for it. `issuedIn` finds the documents in its body. */
export async function addReceipt<Body>(
	deps: Pick<InvoiceDeps, "sql" | "readSealed" | "environment" | "authorityStatus" | "printer">,
	call: Call,
	answer: Response,
	issuedIn: (body: Body) => readonly Issued[],
): Promise<Response> {
	const { print, width } = readQuery(call);
	if (print === undefined) return answer;
	const body = (await answer.json()) as Body;
	const waiting = issuedIn(body).values();
	const lane = async () => {
		// Both lanes draw from one iterator.
		for (const one of waiting) {
			const escpos = await printEscpos(deps, call, one.docId, width);
			if (escpos !== undefined) one.print = { ...one.print, escpos };
		}
	};
	await Promise.all([lane(), lane()]);
	return new Response(JSON.stringify(body), { status: answer.status, headers: answer.headers });
}

/** Undefined while too many documents wait: the document is issued, and its receipt can be read later. */
async function printEscpos(
	deps: Pick<InvoiceDeps, "sql" | "readSealed" | "environment" | "authorityStatus" | "printer">,
	call: Call,
	docId: string,
	width: string | undefined,
): Promise<string | undefined> {
	const tenantId = tenantOf(call);
	const row = await findWholeInvoice(deps, { tenantId, docId });
	if (!row) throw new Error(`document ${docId} vanished`);
	const paper = width === undefined ? undefined : (`thermal_${width === "58" ? "58" : "80"}` as const);
	try {
		const job = await gatherPrintJob(deps, row, "escpos", paper);
		const bytes = await deps.printer.print(job, { tenantId, signal: call.request.signal });
		return Buffer.from(bytes).toString("base64");
	} catch (error) {
		if (error instanceof Problem && error.slug === "service-unavailable") return undefined;
		throw error;
	}
}
