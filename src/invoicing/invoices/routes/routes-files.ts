/** The files of a document: the signed XML, and the printed PDF or ESC/POS. */

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
import { findSignedEcf } from "../model/file-store";
import { xmlNameOf } from "../model/invoice-row";
import {
	conditionalParameter,
	docIdParameter,
	findOwnInvoice,
	findOwnWhole,
	type InvoiceDeps,
	TAG,
} from "../view/own-invoice";
import { gatherPrintJob } from "../view/print-job";

export function getInvoiceXmlOperation(deps: Pick<InvoiceDeps, "sql" | "readSealed">): Operation {
	return {
		id: "getInvoiceXml",
		sdk: "invoices.xml",
		method: "GET",
		path: "/v1/invoices/{docId}/xml",
		tag: TAG,
		summary: "Read the signed e-CF",
		description:
			"The exact bytes that were signed. The authority gets a summary of a small consumer invoice; this is the full document.",
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
					"Content-Disposition": "The file name that the authority prescribes: the issuer's RNC and the e-NCF.",
				},
			},
			304: { description: "Not modified." },
		},
		problems: ["not-found", "archive-unavailable"],
		handle: (call) => getXml(deps, call),
	};
}

async function getXml(deps: Pick<InvoiceDeps, "sql" | "readSealed">, call: Call): Promise<Response> {
	const row = await findOwnInvoice(deps.sql, call, call.params.docId);
	const bytes = await retryOnFailure(() => findSignedEcf(deps, row));
	if (!bytes) throw new Error(`document ${row.docId} has no signed bytes`);
	const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest();
	const headers = { ...digestHeaders(sha256), ...UNCHANGING };
	return answerFile(call, { name: xmlNameOf(bytes, row.encf), mediaType: XML_TYPE, headers }, () => bytes);
}

export function getInvoicePdfOperation(
	deps: Pick<InvoiceDeps, "sql" | "readSealed" | "environment" | "authorityStatus" | "printer">,
): Operation {
	return {
		id: "getInvoicePdf",
		sdk: "invoices.pdf",
		method: "GET",
		path: "/v1/invoices/{docId}/pdf",
		tag: TAG,
		summary: "Print an invoice",
		description:
			"The printed representation in Spanish, rendered from the signed bytes, available from the acknowledgement on. `a4`, " +
			"`letter`, `thermal_80` and `thermal_58` are PDFs. `escpos` is the byte stream of a receipt printer (`application/octet-stream`), for 58 " +
			"mm paper if the company's `printFormat` is `thermal_58`, else for 80 mm. A pending document states where to check its validity " +
			"and whether it was issued in contingency. A rejected one states that it has no fiscal value.",
		credentials: NEEDS_BOTH,
		scope: "invoices:read",
		parameters: [
			docIdParameter,
			{
				name: "format",
				in: "query",
				required: false,
				description: "Default: the company's `printFormat`.",
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
					ETag: "Changes with the print: status, logo, format.",
					"Content-Disposition": "Suggested file name.",
				},
			},
			304: { description: "Not modified." },
		},
		problems: ["not-found", "validation-error", "service-unavailable", "archive-unavailable"],
		handle: (call) => getPdf(deps, call),
	};
}

async function getPdf(
	deps: Pick<InvoiceDeps, "sql" | "readSealed" | "environment" | "authorityStatus" | "printer">,
	call: Call,
): Promise<Response> {
	const { format } = readQuery(call);
	const row = await findOwnWhole(deps, call, call.params.docId);
	const job = await gatherPrintJob(
		deps,
		row,
		PRINT_FORMATS.find((known) => known === format),
	);
	const { mediaType, extension } = fileOf(job);
	const headers = { etag: tagOf(job), ...PRIVATE_NO_CACHE };
	return answerFile(call, { name: `${row.encf}.${extension}`, mediaType, headers }, () =>
		deps.printer.print(job, { tenantId: row.tenantId, signal: call.request.signal }),
	);
}
