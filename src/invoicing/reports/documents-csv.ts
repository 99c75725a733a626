/**
 * A period's documents as a table that is sent while it is read: a page at a time, asked for when the caller has taken the one before.
 *
 * No connection and no snapshot is held between pages, so a slow caller costs the database nothing, and one that has gone is not read for. What is
 * decided meanwhile is in the table if its place has not been passed. A failure ends the answer before its end: it is cut off, never completed.
 */
import { retryOnFailure, type Sql } from "../../platform/database";
import type { Period } from "../../platform/operation";
import type { Log } from "../../platform/telemetry";
import {
	type AuthorityEnvironment,
	type Books,
	findDocuments,
	findEnvironment,
	type Place,
	type ReportedDocument,
} from "./store";

/** Named as the members of requests and answers are. */
export const DOCUMENT_COLUMNS: readonly string[] = [
	...["docId", "encf", "client_request_id", "type", "status", "issue_date", "branch", "customer_rnc"],
	...["subtotal", "tax", "grand_total", "sha256", "receivedAt", "decidedAt"],
	"authorityEnvironment",
];

const PAGE_ROWS = 1_000;

export type StreamSource = {
	readonly sql: Sql;
	readonly log: Pick<Log, "warn">;
	/** Asked before each further page: whether the caller is still let in. */
	readonly check?: (() => Promise<void>) | undefined;
};

/** The table's bytes, read as they are taken. What goes wrong on the way is told to the log and to nobody else. */
export function streamDocuments(
	{ sql, log, check }: StreamSource,
	tenantId: string,
	period: Period,
	/** The present one when absent, and that to the table's end if the company moves meanwhile. */
	asked?: AuthorityEnvironment,
): ReadableStream<Uint8Array> {
	const encoder = new TextEncoder();
	let after: Place | undefined;
	let books: Books | undefined;
	const readPage = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
		const isBegun = books !== undefined;
		if (isBegun) await check?.();
		books ??= { tenantId, environment: asked ?? (await retryOnFailure(() => findEnvironment(sql, tenantId))) };
		const whose = books;
		const page = await retryOnFailure(() => findDocuments(sql, whose, period, after, PAGE_ROWS));
		const lines = page.map(toLine).join("");
		controller.enqueue(encoder.encode(isBegun ? lines : csvLine(DOCUMENT_COLUMNS) + lines));
		after = page.at(-1);
		if (page.length < PAGE_ROWS) controller.close();
	};
	return new ReadableStream<Uint8Array>(
		{
			async pull(controller) {
				try {
					await readPage(controller);
				} catch (err) {
					log.warn({ err, tenantId }, "a table of documents is cut off");
					throw err;
				}
			},
		},
		{ highWaterMark: 0 },
	);
}

function toLine(one: ReportedDocument): string {
	return csvLine([
		...[one.docId, one.encf, textCell(one.clientRequestId), one.type, one.status, one.issueDate],
		...[textCell(one.branch), textCell(one.customerRnc), one.subtotal, one.tax, one.grandTotal, one.sha256],
		...[one.receivedAt.toISOString(), one.decidedAt?.toISOString() ?? "", one.authorityEnvironment],
	]);
}

/**
 * Lines of CSV. Source: RFC 4180.
 *
 * Spreadsheets take a cell that begins like a formula for one. Texts that callers have chosen get an apostrophe in front of such a beginning; our
 * own amounts, which may begin with a minus sign, are left as they are.
 */

/** Source: OWASP, CSV injection; the wide forms are taken for the same signs. */
const FORMULA = /^[=+\-@\t\r\n\uff0b\uff0d\uff1d\uff20]/;
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/** A text of a caller's; empty without one. */
export function textCell(text: string | null): string {
	if (text === null) return "";
	const safe = FORMULA.test(text) ? `'${text}` : text;
	return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Cells that hold no comma, quotation mark or line's end, or are quoted. */
export function csvLine(cells: readonly (string | number)[]): string {
	return `${cells.join(",")}\r\n`;
}
