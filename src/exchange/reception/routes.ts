/**
 * The tenant's operations on received documents: list, read, import. Counterparties call those in
 * `src/exchange/reception/routes-counterparties.ts`.
 */

import { Type } from "@sinclair/typebox";
import { retryOnFailure } from "../../platform/database";
import {
	type Call,
	cutPage,
	dayParameters,
	json,
	NEEDS_BOTH,
	type Operation,
	PRIVATE_NO_STORE,
	pageAnswer,
	pageParameters,
	queryParameter,
	readBytes,
	readPageQuery,
	readQuery,
	taxpayerParameter,
	tenantOf,
} from "../../platform/operation";
import { parseTaxpayerDocument } from "../../platform/values";
import { OUTSIDE_LIMITS } from "../../platform/xml";
import type { ReceptionDeps } from "./deps";
import { importDocument } from "./receive";
import {
	AUTHORITY_STATUSES,
	RECORD_EXAMPLE,
	type ReceivedDocument,
	ReceivedRecord,
	toReceivedRecord,
} from "./received-document";
import { counterpartyOperations } from "./routes-counterparties";
import { findOwnDocument, getPdfOperation, getXmlOperation, idParameter, TAG } from "./routes-file";
import { listReceived } from "./store";
import { createReceptionLimit } from "./xml-part";

/** Documents of up to 4 MiB that are imported at a time. */
const IMPORTS_AT_ONCE_MAX = 24;

export function receptionOperations(deps: ReceptionDeps): Operation[] {
	const receptionLimit = createReceptionLimit(IMPORTS_AT_ONCE_MAX);
	const common = { tag: TAG, credentials: NEEDS_BOTH, scope: "invoices:read" } as const;
	return [
		...counterpartyOperations(deps),
		{
			...common,
			...{ id: "listReceivedDocuments", sdk: "receivedDocuments.list", method: "GET", path: "/v1/received-documents" },
			summary: "List received documents, newest first",
			description:
				"Documents of other issuers to this company, both received from their programs and imported by you, with your decision on each.",
			parameters: [
				...dayParameters("First day of reception, YYYY-MM-DD (UTC-4).", "Last day of reception, YYYY-MM-DD (UTC-4)."),
				taxpayerParameter("issuer_rnc", "RNC of the issuer."),
				queryParameter(
					"status",
					"The authority's state of the documents.",
					Type.Union(AUTHORITY_STATUSES.map((status) => Type.Literal(status))),
				),
				...pageParameters(),
			],
			answers: {
				200: pageAnswer("A page of documents.", ReceivedRecord, RECORD_EXAMPLE),
			},
			problems: ["validation-error"],
			handle: (call) => list(deps, call),
		},
		{
			...common,
			...{
				id: "importReceivedDocument",
				sdk: "receivedDocuments.upload",
				method: "POST",
				path: "/v1/received-documents",
			},
			scope: "documents:receive",
			summary: "Import a supplier's document",
			description:
				"For a signed e-CF that did not arrive through `/fe/recepcion/api/ecf`. Send the file unchanged, since its bytes are signed. " +
				"It is examined like a document from a counterparty, but nothing is acknowledged. A repeat is answered with 409 and the " +
				"document's id, so no idempotency key is needed. The same holds for another document of the same signer under the number, and " +
				"for any other once the authority has accepted one.",
			body: {
				schema: Type.String({ description: "The signed e-CF, byte for byte." }),
				limitBytes: OUTSIDE_LIMITS.bytesMax,
				required: true,
				mediaTypes: ["application/xml", "text/xml"],
				example: "<ECF>…</ECF>",
			},
			answers: {
				201: {
					description: "The document.",
					schema: ReceivedRecord,
					example: { ...RECORD_EXAMPLE, authorityStatus: "unknown", proof: "unproven" },
					headers: { Location: "The document." },
				},
			},
			problems: ["malformed-json", "validation-error", "duplicate-document", "document-buyer-mismatch"],
			handle: (call) => receptionLimit.run(tenantOf(call), () => postDocument(deps, call)),
		},
		{
			...common,
			...{
				id: "getReceivedDocument",
				sdk: "receivedDocuments.get",
				method: "GET",
				path: "/v1/received-documents/{id}",
			},
			summary: "Read a received document",
			description:
				"What the document says, the authority's state of it and your decision. Its XML and PDF have addresses of their own.",
			parameters: [idParameter],
			answers: { 200: { description: "The document.", schema: ReceivedRecord, example: RECORD_EXAMPLE } },
			problems: ["not-found"],
			handle: async (call) => {
				const document = await findOwnDocument(deps.sql, call);
				const [record] = await toRecords(deps, [document]);
				return json(200, record, PRIVATE_NO_STORE);
			},
		},
		getXmlOperation(deps),
		getPdfOperation(deps),
	];
}

async function list(deps: ReceptionDeps, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const { after, from, to, issuer_rnc, status } = query;
	const filter = {
		...{ from, to, after, issuerRnc: issuer_rnc && parseTaxpayerDocument(issuer_rnc)?.digits },
		status: AUTHORITY_STATUSES.find((one) => one === status),
	};
	const rows = await retryOnFailure(() => listReceived(deps.sql, tenantOf(call), filter, limit));
	const { page, place } = cutPage(rows, limit, ({ id }) => id);
	return json(200, { items: await toRecords(deps, page), ...place }, PRIVATE_NO_STORE);
}

async function postDocument(deps: ReceptionDeps, call: Call): Promise<Response> {
	readQuery(call);
	const document = await importDocument(deps, tenantOf(call), await readBytes(call));
	const location = `/v1/received-documents/${document.id}`;
	return json(201, toReceivedRecord(document, undefined), { ...PRIVATE_NO_STORE, location });
}

async function toRecords(
	{ findApprovals }: ReceptionDeps,
	documents: readonly ReceivedDocument[],
): Promise<ReceivedRecord[]> {
	const [first] = documents;
	const ids = documents.map(({ id }) => id);
	const approvals = first && (await findApprovals?.(first.tenantId, ids));
	return documents.map((document) => toReceivedRecord(document, approvals?.get(document.id)));
}
