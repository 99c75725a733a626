/**
 * Stores a new invoice once.
 *
 * What makes a repeat harmless, in the order in which the rows are written: the idempotency key (24 hours), the
 * `client_request_id` (for ever), the e-NCF (until the authority gives it back). All three are unique keys of the database, so
 * a race between processes is settled there; what is read before signing only saves the work. The same order in every
 * transaction keeps two of them from waiting for each other in a circle.
 */
import { companyMoved } from "../../../companies";
import { isConnectionFailure, isCutShort, isRolledBackRace, type Sql } from "../../../platform/database";
import { Problem } from "../../../platform/problem";
import type { NewInvoice } from "../model/invoice-row";
import { findInvoiceById } from "../model/store";
import { storeAll } from "./batched-queries";
import { findEarlier, type Repeat } from "./find-duplicate";
import type { IssueDeps, IssueRequest } from "./issue-request";

const STORE_ATTEMPTS = 3;

/**
 * `number-lost`: the number that we gave is another document's, or may be. The one write: key, invoice, signed bytes and message, or nothing. Throws: client-request-id-conflict, encf-already-used,
 * service-unavailable.
 */
export async function storeInvoice(
	deps: Pick<IssueDeps, "sql" | "gathered">,
	request: IssueRequest,
	row: NewInvoice,
): Promise<Repeat | "stored" | "number-lost"> {
	const { place, rawSha256 } = request;
	const toStore = { row, key: { place, rawSha256 } };
	for (let attempt = 1; ; attempt++) {
		try {
			// Whatever failed may have been somebody else's: the second attempt shares its transaction with nobody.
			const [outcome] = attempt === 1 ? [await deps.gathered.store(toStore)] : await storeAll(deps.sql, [toStore]);
			if (outcome === "stored") return "stored";
			if (outcome === "repeat-of-key") return { kind: "repeat-of-key" };
			if (outcome === "number-lost") return outcome;
			if (outcome === "company-moved") throw companyMoved();
			const earlier = await findEarlier(deps.sql, request);
			if (earlier) return earlier;
			if (row.holdId !== undefined) return "number-lost";
			// Whoever held the number or the id is gone again.
			if (attempt >= STORE_ATTEMPTS) throw new Problem("service-unavailable", { headers: { "retry-after": "1" } });
		} catch (error) {
			if (error instanceof Problem) throw error;
			// The connection may have failed after the commit: if the document is there, it was this very transaction.
			if (isConnectionFailure(error) && (await isStored(deps.sql, row.docId))) return "stored";
			// What has taken all its time would take it once more.
			const isFirst = attempt === 1 && !isCutShort(error);
			const isWorthRepeating = isFirst || isConnectionFailure(error) || isRolledBackRace(error);
			if (attempt >= STORE_ATTEMPTS || !isWorthRepeating) throw error;
		}
	}
}

async function isStored(sql: Sql, docId: string): Promise<boolean> {
	return (await findInvoiceById(sql, docId)) !== undefined;
}
