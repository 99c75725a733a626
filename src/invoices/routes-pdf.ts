/** Prints a document: PDF for A4 and thermal paper, ESC/POS for receipt printers. */
import { Type } from "@sinclair/typebox";
import { AUTHORITY_ENVIRONMENTS, type Segment, toSegment } from "../authority";
import type { AuthorityStatus } from "../authority-status";
import { findLetterhead } from "../companies";
import { retryOnFailure, type Sql } from "../database";
import { PRINT_FORMATS, type Printer, type PrintFormat, type PrintJob, type Standing, tagOf } from "../documents";
import { type Call, matchesEtag, NEEDS_BOTH, type Operation, readQuery } from "../operation";
import type { Environment } from "../values";
import { findSignedDocument } from "./file-store";
import type { InvoiceRow } from "./invoice-row";
import { conditionalParameter, docIdParameter, findOwnInvoice, TAG } from "./own-invoice";

export type PdfDeps = {
	readonly sql: Sql;
	readonly printer: Pick<Printer, "print">;
	readonly environment: Environment;
	/** What is held to be true of the authority decides on the legend of a document that it has not got. */
	readonly authorityStatus: Pick<AuthorityStatus, "isContingency">;
};

export function getInvoicePdfOperation(deps: PdfDeps): Operation {
	return {
		id: "getInvoicePdf",
		method: "GET",
		path: "/v1/invoices/{docId}/pdf",
		tag: TAG,
		summary: "Print an invoice",
		description:
			"The printed representation in Spanish, made from the signed bytes: there from the acknowledgement on. `a4`, `thermal_80` and `thermal_58` are PDFs; " +
			"`escpos` is what a receipt printer is sent (`application/octet-stream`), for 58 mm where the company's `printFormat` is `thermal_58`, else for 80 mm. " +
			"A pending document says where its validity can be looked up, and that it is one of a contingency while the authority is away; a rejected one that it has no fiscal value.",
		credentials: NEEDS_BOTH,
		scope: "invoices:read",
		parameters: [
			docIdParameter,
			{
				name: "format",
				in: "query",
				required: false,
				description: "The company's setting `printFormat` when absent.",
				schema: Type.Union(PRINT_FORMATS.map((format) => Type.Literal(format))),
				example: "a4",
			},
			conditionalParameter,
		],
		answers: {
			200: {
				description: "The printed document.",
				mediaType: "application/pdf",
				alsoMediaTypes: ["application/octet-stream"],
				headers: {
					ETag: "Changes with what is printed: the document's standing, the logo, the format.",
					"Content-Disposition": "A name for the file.",
				},
			},
			304: { description: "You have it." },
		},
		problems: ["not-found", "validation-error", "service-unavailable"],
		handle: (call) => getPdf(deps, call),
	};
}

async function getPdf(deps: PdfDeps, call: Call): Promise<Response> {
	const { format } = readQuery(call);
	const row = await findOwnInvoice(deps.sql, call, call.params.docId);
	const job = await gatherJob(
		deps,
		row,
		PRINT_FORMATS.find((known) => known === format),
	);
	const etag = tagOf(job);
	const headers = { etag, "cache-control": "private, no-cache" };
	if (matchesEtag(call.request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
	const bytes = await deps.printer.print(job);
	const isPdf = job.format !== "escpos";
	return new Response(bytes as Uint8Array<ArrayBuffer>, {
		headers: {
			...headers,
			"content-type": isPdf ? "application/pdf" : "application/octet-stream",
			"content-disposition": `attachment; filename="${row.encf}.${isPdf ? "pdf" : "bin"}"`,
			"x-content-type-options": "nosniff",
		},
	});
}

async function gatherJob(deps: PdfDeps, row: InvoiceRow, format: PrintFormat | undefined): Promise<PrintJob> {
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
		isTest: deps.environment !== "production" || isFreeTest(row.print.qrUrl),
		logo: letterhead.logo ?? undefined,
	};
}

/** One that the authority has got waits for its word alone; one that it has not is of a contingency where it could not be, or cannot be, brought in. */
async function toStanding({ authorityStatus }: PdfDeps, row: InvoiceRow): Promise<Standing> {
	const { status, contingencySince, authorityTrackId } = row;
	if (status !== "pending") return status;
	if (contingencySince !== null) return "contingency";
	const segment = AUTHORITY_ENVIRONMENTS.map(toSegment).find((one) => hasSegment(row.print.qrUrl, one));
	if (authorityTrackId !== null || segment === undefined) return status;
	return (await retryOnFailure(() => authorityStatus.isContingency(segment))) ? "contingency" : status;
}

/** The environment that a document went to stands in the address of its QR. */
const hasSegment = (qrUrl: string, segment: Segment) => new URL(qrUrl).pathname.includes(`/${segment}/`);
const isFreeTest = (qrUrl: string) => hasSegment(qrUrl, "testecf");
