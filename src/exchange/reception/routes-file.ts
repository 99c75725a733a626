/** A received document's bytes as they came, and its printed representation. */

import { Type } from "@sinclair/typebox";
import { ecfQrUrl } from "../../authority/client";
import { fileOf, PRINT_FORMATS, type PrintJob, type Standing, tagOf } from "../../ecf/printing";
import { retryOnFailure, type Sql } from "../../platform/database";
import {
	answerFile,
	type Call,
	digestHeaders,
	idFrom,
	NEEDS_BOTH,
	type Operation,
	type Parameter,
	PRIVATE_NO_CACHE,
	readQuery,
	tenantOf,
	UNCHANGING,
	XML_TYPE,
} from "../../platform/operation";
import { Problem } from "../../platform/problem";
import { childElements, isXmlElement, readXmlText, textOf, type XmlElement } from "../../platform/xml";
import type { ReceptionDeps } from "./deps";
import type { AuthorityStatus, ReceivedDocument } from "./received-document";
import { findReceivedDocument, findReceivedFile } from "./store";

export function getXmlOperation(deps: { readonly sql: Sql }): Operation {
	return {
		...{ id: "getReceivedDocumentXml", method: "GET", path: "/v1/received-documents/{id}/xml", tag: TAG },
		summary: "Read a received document's signed e-CF",
		description: "The very bytes that were received.",
		...{ credentials: NEEDS_BOTH, scope: "invoices:read" },
		parameters: [idParameter, conditionalParameter],
		answers: {
			200: {
				description: "The signed XML.",
				mediaType: "application/xml",
				headers: {
					ETag: "SHA-256 of the bytes.",
					"Repr-Digest": "RFC 9530.",
					"Content-Disposition": "A name for the file.",
				},
			},
			304: { description: "You have it." },
		},
		problems: ["not-found"],
		handle: (call) => getXml(deps, call),
	};
}

async function getXml({ sql }: { readonly sql: Sql }, call: Call): Promise<Response> {
	const document = await findOwnDocument(sql, call);
	const headers = { ...digestHeaders(Buffer.from(document.sha256, "hex")), ...UNCHANGING };
	const head = { name: nameOf(document, "xml"), mediaType: XML_TYPE, headers };
	return answerFile(call, head, () => readXml(sql, document));
}

export function getPdfOperation(deps: ReceptionDeps): Operation {
	return {
		...{ id: "getReceivedDocumentPdf", method: "GET", path: "/v1/received-documents/{id}/pdf", tag: TAG },
		summary: "Print a received document",
		description:
			"The printed representation in Spanish, made from the signed bytes, without the issuer's logo, which they do not hold. Until the authority has said that it " +
			"accepted the document, the paper says where its validity can be looked up.",
		...{ credentials: NEEDS_BOTH, scope: "invoices:read" },
		parameters: [
			idParameter,
			{
				...{ name: "format", in: "query", required: false, description: "`a4` when absent.", example: "a4" },
				schema: Type.Union(PRINT_FORMATS.map((format) => Type.Literal(format))),
			},
			conditionalParameter,
		],
		answers: {
			200: {
				description: "The printed document.",
				mediaType: "application/pdf",
				alsoMediaTypes: ["application/octet-stream"],
				headers: { ETag: "Changes with what is printed.", "Content-Disposition": "A name for the file." },
			},
			304: { description: "You have it." },
		},
		problems: ["not-found", "validation-error", "service-unavailable"],
		handle: (call) => getPdf(deps, call),
	};
}

async function getPdf(deps: ReceptionDeps, call: Call): Promise<Response> {
	const { format } = readQuery(call);
	const document = await findOwnDocument(deps.sql, call);
	const job = await gatherJob(deps, document, PRINT_FORMATS.find((known) => known === format) ?? "a4");
	const { mediaType, extension } = fileOf(job);
	const headers = { etag: tagOf(job), ...PRIVATE_NO_CACHE };
	return answerFile(call, { name: nameOf(document, extension), mediaType, headers }, () => deps.printer.print(job));
}

/** What no verdict is known of is printed as one that waits for it. */
const STANDINGS: Readonly<Record<AuthorityStatus, Standing>> = {
	...{ accepted: "accepted", rejected: "rejected", unknown: "pending", not_found: "pending" },
};

async function gatherJob(
	deps: ReceptionDeps,
	document: ReceivedDocument,
	format: PrintJob["format"],
): Promise<PrintJob> {
	const signedXml = await readXml(deps.sql, document);
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

async function readXml(sql: Sql, { id, tenantId }: ReceivedDocument): Promise<Uint8Array> {
	const file = await retryOnFailure(() => findReceivedFile(sql, tenantId, id));
	if (!file) throw new Error(`document ${id} has no bytes`);
	return file.xml;
}

/** Numbers of two issuers can be the same, so the issuer is part of the name. */
function nameOf({ issuerRnc, encf }: ReceivedDocument, extension: string): string {
	return `${issuerRnc}${encf}.${extension}`;
}

/* HEAD own-document.ts: What the operations on one received document share: the path's id, and the document of the caller's own tenant. */

export const TAG = "Received documents";
/** Answers about documents belong to one caller and change with what the authority says. */

export const idParameter: Parameter = {
	name: "id",
	in: "path",
	required: true,
	description: "The received document's id.",
	schema: Type.String(),
	example: "0192f140-7a00-7b11-9c22-334455667788",
};

export const conditionalParameter: Parameter = {
	name: "If-None-Match",
	in: "header",
	required: false,
	description: "ETag of an answer that you have: 304 without a body while nothing has changed.",
	schema: Type.String(),
};

/** Throws: not-found, the same for a foreign id, an absent one and one that is no id at all. */
export async function findOwnDocument(sql: Sql, call: Call): Promise<ReceivedDocument> {
	const [tenantId, id] = [tenantOf(call), idFrom(call)];
	const document = await retryOnFailure(() => findReceivedDocument(sql, tenantId, id));
	if (!document) throw new Problem("not-found");
	return document;
}

/* HEAD total-text.ts: The total as it is written in a received document: the address in the QR code has it so, and amounts are stored with two decimals. */

const HEAD_END = "</Encabezado>";

/** Undefined where the head's end is spelt in a way of its own. */
export function readTotalText(signedXml: Uint8Array): string | undefined {
	const bytes = Buffer.from(signedXml.buffer, signedXml.byteOffset, signedXml.byteLength);
	// A document may have thousands of lines, which have nothing to say here and would keep other requests waiting.
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
