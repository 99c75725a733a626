/** A tenant's own document as it was archived at its latest decision. */
import { type ArchivedObject, getArchiveObject, isArchiveObjectRemoved } from "../../../archive";
import { retryOnFailure, type Sql } from "../../../platform/database";
import type { Call } from "../../../platform/operation";
import { Problem } from "../../../platform/problem";
import type { InvoiceRow } from "../model/invoice-row";
import { findOwnInvoice } from "../view/own-invoice";

/** A decided document is archived within seconds; one that waits for the authority is asked for its status instead. */
const RETRY_SECONDS = { decided: "2", pending: "30" } as const;

/** Throws: not-found, for strangers without a word, for the owner of a document that is not archived yet with `Retry-After`. */
export async function findOwnArchived(
	sql: Sql,
	call: Call,
): Promise<{ readonly row: InvoiceRow; readonly object: ArchivedObject }> {
	const row = await findOwnInvoice(sql, call, call.params.docId);
	const { decidedAt } = row;
	if (!decidedAt) throw notYet("The document has no final status yet, and is archived when it has.", "pending");
	const object = await retryOnFailure(() => getArchiveObject(sql, row.docId));
	// One that was brought back and decided again has an older object.
	if (object && object.decidedAt >= decidedAt) return { row, object };
	if (await retryOnFailure(() => isArchiveObjectRemoved(sql, row.docId)))
		throw new Problem("not-found", { detail: "The document's time in the archive is over, and it was removed." });
	throw notYet("The document is decided and not archived yet.", "decided");
}

function notYet(detail: string, state: keyof typeof RETRY_SECONDS): Problem {
	return new Problem("not-found", { detail, headers: { "retry-after": RETRY_SECONDS[state] } });
}
