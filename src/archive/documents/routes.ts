/** The operation that lists a tenant's archived documents. */

import { type Static, Type } from "@sinclair/typebox";
import { retryOnFailure, type Sql } from "../../platform/database";
import {
	type Call,
	cutPage,
	dayParameters,
	json,
	NEEDS_BOTH,
	type Operation,
	oneOf,
	type ParameterFault,
	PRIVATE_NO_STORE,
	pageParameters,
	pageSchema,
	queryParameter,
	readPageQuery,
	tenantOf,
	textOf,
} from "../../platform/operation";
import { msg } from "../../platform/problem";
import { isId } from "../../platform/values";
import { type ListCursor, type ListedObject, listArchived } from "./store";

/** Status of a document that another taxpayer issued. */
const RECEIVED = "received";
/** Status of a commercial approval. */
const APPROVAL = "approval";

const Instant = Type.String({ format: "date-time" });
const Nullable = Type.Union([Type.String(), Type.Null()]);
const Digest = Type.String({ description: "Hex." });

const ArchivedDocument = Type.Object({
	docId: Type.String(),
	encf: Nullable,
	type: Nullable,
	status: Nullable,
	sha256: Digest,
	bytes: Type.Integer(),
	decidedAt: Instant,
	archivedAt: Instant,
	retainUntil: Instant,
	log: Type.Integer({ description: "The archive's log with the company's documents, 0 to 63." }),
	leafIndex: Type.Integer({ description: "Index in the log, from 0." }),
	chainIndex: Type.Integer({ description: "Index of the link in the company's chain, from 0." }),
	chainHash: Digest,
	_links: Type.Object(
		{
			invoice: Type.Optional(Type.String()),
			evidence: Type.Optional(Type.String()),
			receivedDocument: Type.Optional(Type.String()),
			approval: Type.Optional(Type.String()),
		},
		{
			description: "A document of another issuer has only `receivedDocument`, a commercial approval only `approval`.",
		},
	),
});

export function archiveListOperation(deps: { readonly sql: Sql }): Operation {
	return {
		...{ id: "listArchive", sdk: "archive.list", method: "GET", path: "/v1/archive", tag: "Archive" },
		summary: "List archived documents, latest decision first",
		description:
			"Each decision of a document is one sealed object, kept unchanged until `retainUntil`. A document that failed and was decided again has " +
			"two. `sha256` is the digest of the sealed object. Together with `log`, `leafIndex` and `chainHash`, its evidence proves that the object is in the " +
			"archive. Documents that were removed after their retention are not listed. `encf`, `type` and `status` are null if the index was restored " +
			"and the object could not be read.",
		...{ credentials: NEEDS_BOTH, scope: "archive:read" },
		parameters: [
			...dayParameters("First day of decision, YYYY-MM-DD (UTC-4).", "Last day of decision, YYYY-MM-DD (UTC-4)."),
			queryParameter("type", "e-CF type.", textOf("^[0-9]{2}$", msg`Send two digits.`)),
			queryParameter(
				"status",
				"The decision. `received`: documents of other issuers. `approval`: commercial approvals, sent and received.",
				oneOf("accepted", "rejected", "failed", RECEIVED, APPROVAL),
			),
			...pageParameters({ schema: Type.String({ maxLength: 400 }), check: checkCursor }),
		],
		answers: {
			200: {
				description: "A page of documents.",
				schema: pageSchema(ArchivedDocument),
			},
		},
		problems: ["validation-error"],
		handle: (call) => listArchive(deps, call),
	};
}

async function listArchive({ sql }: { readonly sql: Sql }, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const { after, ...filter } = query;
	const wanted = { ...filter, after: after === undefined ? undefined : readCursor(after) };
	const rows = await retryOnFailure(() => listArchived(sql, tenantOf(call), wanted, limit));
	const { page, place } = cutPage(rows, limit, formatCursor);
	return json(200, { items: page.map(toArchivedDocument), ...place }, PRIVATE_NO_STORE);
}

function toArchivedDocument(row: ListedObject): Static<typeof ArchivedDocument> {
	const { objectKey: _, versionId: __, n: ___, ...shown } = row;
	return {
		...shown,
		decidedAt: row.decidedAt.toISOString(),
		archivedAt: row.archivedAt.toISOString(),
		retainUntil: row.retainUntil.toISOString(),
		_links: linksOf(row),
	};
}

function linksOf({ status, docId }: ListedObject): Static<typeof ArchivedDocument>["_links"] {
	if (status === RECEIVED) return { receivedDocument: `/v1/received-documents/${docId}` };
	if (status === APPROVAL) return { approval: `/v1/approvals/${docId}` };
	const invoice = `/v1/invoices/${docId}`;
	return { invoice, evidence: `${invoice}/evidence` };
}

/** A cursor says where the page ended. The caller's credentials decide whose objects follow. */
function formatCursor({ decidedAt, docId, n }: ListCursor): string {
	return Buffer.from(`${decidedAt.getTime()} ${docId} ${n}`).toString("base64url");
}

function checkCursor(cursor: string): ParameterFault | undefined {
	return readCursor(cursor) ? undefined : { code: "invalid-cursor", detail: msg`The value is not a cursor.` };
}

function readCursor(cursor: string): ListCursor | undefined {
	const [time, docId = "", n] = Buffer.from(cursor, "base64url").toString().split(" ");
	const isCursor = /^\d{1,13}$/.test(time ?? "") && isId(docId) && /^\d{1,4}$/.test(n ?? "");
	return isCursor ? { decidedAt: new Date(Number(time)), docId, n: Number(n) } : undefined;
}
