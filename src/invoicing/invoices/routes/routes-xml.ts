/** Gives the signed bytes back. */
import { retryOnFailure, type Sql } from "../../../platform/database";
import {
	answerFile,
	type Call,
	digestHeaders,
	NEEDS_BOTH,
	type Operation,
	UNCHANGING,
	XML_TYPE,
} from "../../../platform/operation";
import { findSignedDocument } from "../model/file-store";
import { xmlNameOf } from "../model/xml-name";
import { conditionalParameter, docIdParameter, findOwnInvoice, TAG } from "../view/own-invoice";

export type XmlDeps = { readonly sql: Sql };

export function getInvoiceXmlOperation(deps: XmlDeps): Operation {
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

async function getXml(deps: XmlDeps, call: Call): Promise<Response> {
	const row = await findOwnInvoice(deps.sql, call, call.params.docId);
	const document = await retryOnFailure(() => findSignedDocument(deps.sql, row.docId, "ecf"));
	if (!document) throw new Error(`document ${row.docId} has no signed bytes`);
	const { bytes, sha256 } = document;
	const headers = { ...digestHeaders(sha256), ...UNCHANGING };
	return answerFile(call, { name: xmlNameOf(bytes, row.encf), mediaType: XML_TYPE, headers }, () => bytes);
}
