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
import { type ListedObject, listArchived, type Place } from "./store";

export type ArchiveListDeps = { readonly sql: Sql };

/** What is told of a document that others have issued. */
const RECEIVED = "received";
/** Of a buyer's signed word on a document. */
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
	leafIndex: Type.Integer({ description: "Its place in the archive's tree, from 0." }),
	chainIndex: Type.Integer({ description: "Which link of the company's chain it is, from 0." }),
	chainHash: Digest,
	_links: Type.Object(
		{
			invoice: Type.Optional(Type.String()),
			evidence: Type.Optional(Type.String()),
			receivedDocument: Type.Optional(Type.String()),
			approval: Type.Optional(Type.String()),
		},
		{
			description:
				"Of a document that others have issued `receivedDocument` alone, of a commercial approval `approval`.",
		},
	),
});

export function archiveListOperation(deps: ArchiveListDeps): Operation {
	return {
		...{ id: "listArchive", method: "GET", path: "/v1/archive", tag: "Archive" },
		summary: "List archived documents, decided last first",
		description:
			"Every decision of a document is one sealed object, kept unchanged until `retainUntil`: one that failed and was decided again is there " +
			"twice. `sha256` is the sealed object's; with `leafIndex` and `chainHash` its evidence proves that it is in the archive. Documents whose " +
			"time is over and that were removed are not listed. `encf`, `type` and `status` are null where the index was made again from the archive alone.",
		...{ credentials: NEEDS_BOTH, scope: "archive:read" },
		parameters: [
			...dayParameters("First day of decision, YYYY-MM-DD (UTC-4).", "Last day of decision, YYYY-MM-DD (UTC-4)."),
			queryParameter("type", "e-CF type.", textOf("^[0-9]{2}$", "Send two digits.")),
			queryParameter(
				"status",
				"What was decided; `received`: documents of others; `approval`: commercial approvals, sent and received.",
				oneOf("accepted", "rejected", "failed", RECEIVED, APPROVAL),
			),
			...pageParameters({ schema: Type.String({ maxLength: 400 }), check: checkPlace }),
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

async function listArchive({ sql }: ArchiveListDeps, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const { after, ...filter } = query;
	const asked = { ...filter, after: after === undefined ? undefined : readPlace(after) };
	const rows = await retryOnFailure(() => listArchived(sql, tenantOf(call), asked, limit));
	const { page, place } = cutPage(rows, limit, writePlace);
	return json(200, { items: page.map(toArchivedDocument), ...place }, PRIVATE_NO_STORE);
}

function toArchivedDocument(row: ListedObject): Static<typeof ArchivedDocument> {
	const { objectKey: _, versionId: __, ...shown } = row;
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

/** A cursor is where the page ended; whose objects follow it is decided by the caller's credentials alone. */
function writePlace({ decidedAt, objectKey }: Place): string {
	return Buffer.from(`${decidedAt.getTime()} ${objectKey}`).toString("base64url");
}

function checkPlace(cursor: string): ParameterFault | undefined {
	return readPlace(cursor) ? undefined : { code: "invalid-cursor", detail: "Is not a cursor." };
}

function readPlace(cursor: string): Place | undefined {
	const [, time, objectKey] = /^(\d{1,13}) ([\w./-]{1,300})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
	return time === undefined || objectKey === undefined ? undefined : { decidedAt: new Date(Number(time)), objectKey };
}
