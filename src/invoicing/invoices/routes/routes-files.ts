import { conditionalParameter, docIdParameter, findOwnInvoice, type InvoiceDeps, TAG } from "../view/own-invoice";
/** Gives the signed bytes back. */

import { Type } from "@sinclair/typebox";
import { fileOf, PRINT_FORMATS, tagOf } from "../../../ecf/printing";
import { retryOnFailure } from "../../../platform/database";
import {
	answerFile,
	type Call,
	digestHeaders,
	NEEDS_BOTH,
	type Operation,
	PRIVATE_NO_CACHE,
	readQuery,
	UNCHANGING,
	XML_TYPE,
} from "../../../platform/operation";
import { findSignedDocument } from "../model/file-store";
import { xmlNameOf } from "../model/invoice-row";
import { gatherPrintJob } from "../view/print-job";

export function getInvoiceXmlOperation(deps: Pick<InvoiceDeps, "sql">): Operation {
	return {
		id: "getInvoiceXml",
		method: "GET",
		path: "/v1/invoices/{docId}/xml",
		tag: TAG,
		summary: "Read the signed e-CF",
		description:
			"The very bytes that were signed. A small consumer invoice goes to the authority as a summary; this is the full document.",
		credentials: NEEDS_BOTH,
		scope: "invoices:read",
		parameters: [docIdParameter, conditionalParameter],
		answers: {
			200: {
				description: "The signed XML.",
				mediaType: "application/xml",
				headers: {
					ETag: "SHA-256 of the bytes.",
					"Repr-Digest": "RFC 9530.",
					"Content-Disposition": "The authority's name for the file: the issuer's RNC, then the e-NCF.",
				},
			},
			304: { description: "The caller has it already." },
		},
		problems: ["not-found"],
		handle: (call) => getXml(deps, call),
	};
}

async function getXml(deps: Pick<InvoiceDeps, "sql">, call: Call): Promise<Response> {
	const row = await findOwnInvoice(deps.sql, call, call.params.docId);
	const document = await retryOnFailure(() => findSignedDocument(deps.sql, row.docId, "ecf"));
	if (!document) throw new Error(`document ${row.docId} has no signed bytes`);
	const { bytes, sha256 } = document;
	const headers = { ...digestHeaders(sha256), ...UNCHANGING };
	return answerFile(call, { name: xmlNameOf(bytes, row.encf), mediaType: XML_TYPE, headers }, () => bytes);
}

/** Prints a document: PDF for A4 and thermal paper, ESC/POS for receipt printers. */

export function getInvoicePdfOperation(
	deps: Pick<InvoiceDeps, "sql" | "environment" | "authorityStatus" | "printer">,
): Operation {
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

async function getPdf(
	deps: Pick<InvoiceDeps, "sql" | "environment" | "authorityStatus" | "printer">,
	call: Call,
): Promise<Response> {
	const { format } = readQuery(call);
	const row = await findOwnInvoice(deps.sql, call, call.params.docId);
	const job = await gatherPrintJob(
		deps,
		row,
		PRINT_FORMATS.find((known) => known === format),
	);
	const { mediaType, extension } = fileOf(job);
	const headers = { etag: tagOf(job), ...PRIVATE_NO_CACHE };
	return answerFile(call, { name: `${row.encf}.${extension}`, mediaType, headers }, () => deps.printer.print(job));
}
