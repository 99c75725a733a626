/** SQL on the documents of test sets: storing one, how they stand, and the sets that wait for them. */
import { SEGMENT_IN_QR_URL, toSegment } from "../../../authority/client";
import type { Sql, Tx } from "../../../platform/database";
import { append, hastenMessages } from "../../../platform/outbox";
import type { Status } from "../model/invoice-row";
import { SUBMIT_KIND, TEST_SET_KIND } from "../model/message-kinds";
import type { TestDocument } from "./test-document";

/**
 * Stores a document of a test set with the message that sends it. Answers false, nothing being written, when its number belongs to a document
 * of the company. `holdsNumber`: from now on it belongs to this one.
 */
export async function storeTestDocument(
	tx: Tx,
	document: TestDocument,
	set: { readonly testSetId: string; readonly holdsNumber: boolean; readonly receivedAt: Date },
): Promise<boolean> {
	const { docId, tenantId, print } = document;
	const rows = await tx`
		insert into invoices (
			doc_id, track_id, tenant_id, type, encf, client_request_id, request, acknowledgement, print, warnings, registry,
			signed_at, received_at, encf_released, test_set_id
		) values (
			${docId}, ${document.trackId}, ${tenantId}, ${document.type}, ${document.encf}, null, ${document.request},
			${document.acknowledgement}, ${JSON.stringify(print)}::text::json, ${JSON.stringify(document.warnings)}::text::json,
			${JSON.stringify(document.registry)}::text::json, ${print.signedAt}, ${set.receivedAt}, ${!set.holdsNumber}, ${set.testSetId}
		) on conflict do nothing returning doc_id`;
	if (rows.length === 0) return false;
	for (const { kind, text, sha256 } of document.documents) {
		await tx`
			insert into signed_documents (doc_id, kind, bytes, sha256)
			values (${docId}, ${kind}, ${Buffer.from(text)}, ${Buffer.from(sha256, "hex")})`;
	}
	await append(tx, { kind: SUBMIT_KIND, tenantId, subject: docId });
	return true;
}

/** Where a document of a test set stands, and what the authority has said of it. */
export type TestDocumentState = {
	readonly docId: string;
	readonly status: Status;
	readonly authority: Readonly<Record<string, unknown>> | null;
	readonly failure: Readonly<Record<string, unknown>> | null;
};

export async function findTestDocuments(sql: Sql | Tx, docIds: readonly string[]): Promise<TestDocumentState[]> {
	const rows = await sql<(TestDocumentState & { trackId: string | null })[]>`
		select doc_id as "docId", status, authority, failure, authority_track_id as "trackId"
		from invoices where doc_id = any(${[...docIds]}::uuid[])`;
	return rows.map(({ trackId, ...row }) => ({
		...row,
		authority: row.authority ?? (trackId === null ? null : { trackId }),
	}));
}

/**
 * The last of some numbers that the company has used in the certification environment; undefined when it has used none of them. `isThere`: it issues
 * there now, so what holds a number counts, else what it issued there before it moved on, also before moves marked it.
 */
export async function findLastUsed(
	sql: Sql | Tx,
	tenantId: string,
	encfs: readonly string[],
	isThere: boolean,
): Promise<string | undefined> {
	const which = isThere
		? sql`not encf_released`
		: sql`(encf_elsewhere or not encf_released) and substring(print ->> 'qrUrl' from ${SEGMENT_IN_QR_URL}::text) = ${toSegment("certification")}`;
	const [row] = await sql<{ encf: string }[]>`
		select encf from invoices where tenant_id = ${tenantId} and encf = any(${[...encfs]}::text[]) and ${which}
		order by substr(encf, 4) desc limit 1`;
	return row?.encf;
}

/** The sets of documents that have ended go on now; their own polling is the safety net. Answers whether there are any. */
export async function wakeTestSets(tx: Tx, ended: readonly { readonly testSetId: string | null }[]): Promise<boolean> {
	const setIds = ended.flatMap(({ testSetId }) => (testSetId === null ? [] : [testSetId]));
	if (setIds.length > 0) await hastenMessages(tx, TEST_SET_KIND, setIds);
	return setIds.length > 0;
}
