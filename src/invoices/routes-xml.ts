/** Gives the signed bytes back. */
import { retryOnFailure, type Sql } from "../database";
import { type Call, matchesEtag, NEEDS_BOTH, type Operation } from "../operation";
import { findSignedDocument } from "./file-store";
import { docIdParameter, findOwnInvoice, TAG } from "./own-invoice";

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
		parameters: [docIdParameter],
		answers: {
			200: {
				description: "The signed XML.",
				mediaType: "application/xml",
				headers: { ETag: "SHA-256 of the bytes.", "Repr-Digest": "RFC 9530." },
			},
		},
		problems: ["not-found"],
		handle: (call) => getXml(deps, call),
	};
}

async function getXml(deps: XmlDeps, call: Call): Promise<Response> {
	const row = await findOwnInvoice(deps.sql, call, call.params.docId);
	const document = await retryOnFailure(() => findSignedDocument(deps.sql, row.docId, "ecf"));
	if (!document) throw new Error(`document ${row.docId} has no signed bytes`);
	const sha256 = Buffer.from(document.sha256);
	const etag = `"${sha256.toString("hex")}"`;
	const headers = {
		etag,
		"repr-digest": `sha-256=:${sha256.toString("base64")}:`,
		"cache-control": "private, max-age=86400, immutable",
	};
	if (matchesEtag(call.request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
	return new Response(document.bytes as Uint8Array<ArrayBuffer>, {
		headers: {
			...headers,
			"content-type": "application/xml; charset=utf-8",
			"content-disposition": `attachment; filename="${row.encf}.xml"`,
			"x-content-type-options": "nosniff",
		},
	});
}
