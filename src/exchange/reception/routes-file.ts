/** A received document's bytes and its printed representation. */

import { Type } from "@sinclair/typebox";
import { ecfQrUrl } from "../../authority/client";
import { fileOf, PRINT_FORMATS, type PrintJob, type Standing, tagOf } from "../../ecf/printing";
import { retryOnFailure, type Sql } from "../../platform/database";
import {
	answerFile,
	type Call,
	digestHeaders,
	headerParameter,
	idFrom,
	NEEDS_BOTH,
	type Operation,
	PRIVATE_NO_CACHE,
	pathParameter,
	readQuery,
	SIGNED_XML,
	tenantOf,
	UNCHANGING,
	XML_TYPE,
} from "../../platform/operation";
import { Problem } from "../../platform/problem";
import { childElements, isXmlElement, readXmlText, textOf, type XmlElement } from "../../platform/xml";
import type { ReceptionDeps } from "./deps";
import type { AuthorityStatus, ReceivedDocument } from "./received-document";
import { findReceivedDocument, readReceivedFile } from "./store";

export function getXmlOperation(deps: ReceptionDeps): Operation {
	return {
		...{
			id: "getReceivedDocumentXml",
			sdk: "receivedDocuments.xml",
			method: "GET",
			path: "/v1/received-documents/{id}/xml",
			tag: TAG,
		},
		summary: "Read a received document's signed e-CF",
		description: "The exact bytes that were received.",
		...{ credentials: NEEDS_BOTH, scope: "invoices:read" },
		parameters: [idParameter, conditionalParameter],
		answers: {
			200: SIGNED_XML,
			304: { description: "Your copy is current." },
		},
		problems: ["not-found", "archive-unavailable"],
		handle: (call) => getXml(deps, call),
	};
}

async function getXml(deps: ReceptionDeps, call: Call): Promise<Response> {
	const document = await findOwnDocument(deps.sql, call);
	const headers = { ...digestHeaders(Buffer.from(document.sha256, "hex")), ...UNCHANGING };
	const head = { name: nameOf(document, "xml"), mediaType: XML_TYPE, headers };
	return answerFile(call, head, () => readXml(deps, document));
}

export function getPdfOperation(deps: ReceptionDeps): Operation {
	return {
		...{
			id: "getReceivedDocumentPdf",
			sdk: "receivedDocuments.pdf",
			method: "GET",
			path: "/v1/received-documents/{id}/pdf",
			tag: TAG,
		},
		summary: "Print a received document",
		description:
			"The printed representation in Spanish, made from the signed bytes. It has no issuer's logo, which the bytes do not contain. " +
			"Until the authority has accepted the document, the print refers to where its validity can be checked.",
		...{ credentials: NEEDS_BOTH, scope: "invoices:read" },
		parameters: [
			idParameter,
			{
				...{ name: "format", in: "query", required: false, description: "Default: `a4`.", example: "a4" },
				schema: Type.Union(PRINT_FORMATS.map((format) => Type.Literal(format))),
			},
			conditionalParameter,
		],
		answers: {
			200: {
				description: "The printed document.",
				mediaType: "application/pdf",
				alsoMediaTypes: ["application/octet-stream"],
				headers: { ETag: "Changes with the printed content.", "Content-Disposition": "Suggested file name." },
			},
			304: { description: "Your copy is current." },
		},
		problems: ["not-found", "archive-unavailable", "validation-error", "service-unavailable"],
		handle: (call) => getPdf(deps, call),
	};
}

async function getPdf(deps: ReceptionDeps, call: Call): Promise<Response> {
	const { format } = readQuery(call);
	const document = await findOwnDocument(deps.sql, call);
	const job = await gatherJob(deps, document, PRINT_FORMATS.find((known) => known === format) ?? "a4");
	const { mediaType, extension } = fileOf(job);
	const headers = { etag: tagOf(job), ...PRIVATE_NO_CACHE };
	return answerFile(call, { name: nameOf(document, extension), mediaType, headers }, () =>
		deps.printer.print(job, { tenantId: tenantOf(call), signal: call.request.signal }),
	);
}

/** A document without a verdict is printed as pending. */
const STANDINGS: Readonly<Record<AuthorityStatus, Standing>> = {
	...{ accepted: "accepted", rejected: "rejected", unknown: "pending", not_found: "pending" },
};

async function gatherJob(
	deps: ReceptionDeps,
	document: ReceivedDocument,
	format: PrintJob["format"],
): Promise<PrintJob> {
	const signedXml = await readXml(deps, document);
	const [year = "", month = "", day = ""] = document.issueDate.split("-");
	const qrUrl = ecfQrUrl(deps.authorityUrls, document.segment, {
		rnc: document.issuerRnc,
		buyerRnc: document.buyerRnc,
		encf: document.encf,
		issueDate: `${day}-${month}-${year}`,
		total: readTotalText(signedXml) ?? document.grandTotal,
		signedAt: document.signedAtText,
		securityCode: document.securityCode,
	});
	return {
		...{ format, paper: "a4", signedXml, qrUrl, standing: STANDINGS[document.authorityStatus], logo: undefined },
		isTest: deps.environment !== "production" || document.segment === "testecf",
	};
}

async function readXml(deps: ReceptionDeps, { id, tenantId }: ReceivedDocument): Promise<Uint8Array> {
	return (await retryOnFailure(() => readReceivedFile(deps, tenantId, id))).xml;
}

/** Numbers of two issuers can be equal, so the name contains the issuer. */
function nameOf({ issuerRnc, encf }: ReceivedDocument, extension: string): string {
	return `${issuerRnc}${encf}.${extension}`;
}

export const TAG = "Received documents";

export const idParameter = pathParameter("id", "The received document's id.", "0192f140-7a00-7b11-9c22-334455667788");

export const conditionalParameter = headerParameter(
	"If-None-Match",
	"ETag of an answer that you have. The answer is 304 without a body while it is current.",
);

/** Throws: not-found, equally for another tenant's id, an unknown one and an invalid one. */
export async function findOwnDocument(sql: Sql, call: Call): Promise<ReceivedDocument> {
	const [tenantId, id] = [tenantOf(call), idFrom(call)];
	const document = await retryOnFailure(() => findReceivedDocument(sql, tenantId, id));
	if (!document) throw new Problem("not-found");
	return document;
}

const HEAD_END = "</Encabezado>";

/**
 * The total as written in the document, since the address of the QR code repeats it and stored amounts have two decimals. Undefined if the end
 * of the head has an unusual spelling.
 */
export function readTotalText(signedXml: Uint8Array): string | undefined {
	const bytes = Buffer.from(signedXml.buffer, signedXml.byteOffset, signedXml.byteLength);
	// Only the head is parsed: thousands of lines would delay other requests.
	const end = bytes.indexOf(HEAD_END);
	if (end < 0) return undefined;
	const head = readXmlText(`${bytes.toString("utf8", 0, end)}${HEAD_END}</ECF>`);
	if (!isXmlElement(head)) return undefined;
	const total = ["Encabezado", "Totales", "MontoTotal"].reduce<XmlElement | undefined>(findOnly, head);
	return total && textOf(total).trim();
}

function findOnly(element: XmlElement | undefined, name: string): XmlElement | undefined {
	const found = element ? childElements(element).filter(({ localName }) => localName === name) : [];
	return found.length === 1 ? found[0] : undefined;
}
