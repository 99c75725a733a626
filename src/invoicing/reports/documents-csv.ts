/**
 * A period's documents as a CSV table, streamed page by page as the caller reads.
 *
 * No connection or snapshot is held between pages, so a slow caller costs the database nothing. Documents decided meanwhile are included if their position
 * has not been passed. A failure aborts the answer, so that it never looks complete.
 */
import { retryOnFailure, type Sql } from "../../platform/database";
import type { Period } from "../../platform/operation";
import type { Log } from "../../platform/telemetry";
import { csvLine, textCell } from "../../platform/values";
import {
	type AuthorityEnvironment,
	type Books,
	findDocuments,
	findEnvironment,
	type Position,
	type ReportedDocument,
} from "./store";

/** Named like the members of requests and answers. */
export const DOCUMENT_COLUMNS: readonly string[] = [
	...["docId", "encf", "client_request_id", "type", "status", "issue_date", "branch", "customer_rnc"],
	...["subtotal", "tax", "grand_total", "sha256", "receivedAt", "decidedAt"],
	"authorityEnvironment",
];

const PAGE_ROWS = 1_000;

export type StreamSource = {
	readonly sql: Sql;
	readonly log: Pick<Log, "warn">;
	/** Called before each further page; throws if the caller is no longer authorised. */
	readonly check?: (() => Promise<void>) | undefined;
};

/** The bytes of the table, read on demand. Errors on the way are logged. */
export function streamDocuments(
	{ sql, log, check }: StreamSource,
	tenantId: string,
	period: Period,
	/** Default: the company's current environment, for the whole table. */
	asked?: AuthorityEnvironment,
): ReadableStream<Uint8Array> {
	const encoder = new TextEncoder();
	let after: Position | undefined;
	let books: Books | undefined;
	const readPage = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
		const isBegun = books !== undefined;
		if (isBegun) await check?.();
		books ??= { tenantId, environment: asked ?? (await retryOnFailure(() => findEnvironment(sql, tenantId))) };
		const whose = books;
		const page = await retryOnFailure(() => findDocuments(sql, whose, period, after, PAGE_ROWS));
		const lines = page.documents.map((one) => toLine(one, whose)).join("");
		controller.enqueue(encoder.encode(isBegun ? lines : csvLine(DOCUMENT_COLUMNS) + lines));
		after = page.last;
		if (!after) controller.close();
	};
	return new ReadableStream<Uint8Array>(
		{
			async pull(controller) {
				try {
					await readPage(controller);
				} catch (err) {
					log.warn({ event: "report.aborted", err, tenantId }, "the table of documents was aborted");
					throw err;
				}
			},
		},
		{ highWaterMark: 0 },
	);
}

function toLine(one: ReportedDocument, { environment }: Books): string {
	return csvLine([
		...[one.docId, one.encf, textCell(one.clientRequestId), one.type, one.status, one.issueDate],
		...[textCell(one.branch), textCell(one.customerRnc), one.subtotal, one.tax, one.grandTotal, one.sha256],
		...[one.receivedAt.toISOString(), one.decidedAt?.toISOString() ?? "", environment],
	]);
}
