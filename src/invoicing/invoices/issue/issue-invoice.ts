/** Issues one invoice: check → sign → store with its outbox message in one transaction → acknowledge. */

import { companyMoved } from "../../../companies";
import { isSummaryRoad } from "../../../ecf/mapping";
import { isConnectionFailure, isCutShort, isRolledBackRace, type Sql } from "../../../platform/database";
import { faultPoint } from "../../../platform/failpoints";
import { hashPayload, nameOfPlace } from "../../../platform/idempotency";
import { Problem } from "../../../platform/problem";
import { type CheckedInvoice, findOriginal } from "../check/check-tenant";
import type { NewInvoice } from "../model/invoice-row";
import { findInvoiceById } from "../model/store";
import { storeAll } from "./batched-queries";
import { toRow } from "./build-invoice-row";
import { AUTO, expiryOf, underNumber, withNumber } from "./document-number";
import { findEarlier, type Repeat } from "./find-duplicate";
import type { Facts } from "./issue-store";
import { checkFor, type IssueDeps, type IssueRequest, type Issuer, refuseInOutage, signFor, toIssuer } from "./issuer";

/** A new document, or one that the request turned out to repeat. */
export type Issued = { readonly kind: "new"; readonly docId: string; readonly acknowledgement: string } | Repeat;

/**
 * Throws: validation-error, mathematical-discrepancy, tenant-config-missing, company-rnc-mismatch, client-request-id-conflict, encf-already-used,
 * sequence-exhausted, authority-unavailable (nothing stored), service-unavailable (nothing stored).
 */
export async function issueInvoice(deps: IssueDeps, request: IssueRequest, facts: Facts): Promise<Issued> {
	const { tenantId, invoice } = request;
	const [known, original] = await Promise.all([
		deps.gathered.issuers.get(tenantId, facts.issuerVersion),
		findOriginal(deps.sql, tenantId, invoice),
	]);
	const issuer = toIssuer(deps, known);
	const sequenceExpiresOn = expiryOf(invoice, facts.expiresOn, issuer.today);
	const checked = checkFor(deps, issuer, invoice, { original, sequenceExpiresOn });
	const earlier = facts.collides ? await findEarlier(deps.sql, request) : undefined;
	if (earlier) return earlier;
	await refuseInOutage(deps, issuer, isSummaryRoad(checked.input) ? "fc" : "main");

	if (invoice.encf !== AUTO) {
		const issued = await signAndStore(deps, request, issuer, checked);
		if (issued === "number-lost") throw new Error("a document without a hold has lost its number");
		return issued;
	}
	const place = `${nameOfPlace(request.place)} ${hashPayload(invoice).toString("hex")}`;
	return withNumber(deps.numbering, { tenantId, type: invoice.type, place }, (held) => {
		faultPoint("after-hold");
		return signAndStore(deps, request, issuer, underNumber(checked, held), held.holdId);
	});
}

async function signAndStore(
	deps: IssueDeps,
	request: IssueRequest,
	issuer: Issuer,
	checked: CheckedInvoice,
	holdId?: string,
): Promise<Issued | "number-lost"> {
	const signed = await signFor(deps, issuer, checked);
	const row = toRow(deps, request, checked, signed, issuer, holdId);
	const stored = await storeInvoice(deps, request, row);
	if (stored !== "stored") return stored;
	faultPoint("after-commit");
	deps.wake();
	return { kind: "new", docId: row.docId, acknowledgement: row.acknowledgement };
}

/**
 * Stores a new invoice once.
 *
 * What makes a repeat harmless, in the order in which the rows are written: the idempotency key (24 hours), the
 * `client_request_id` (for ever), the e-NCF (until the authority gives it back). All three are unique keys of the database, so
 * a race between processes is settled there; what is read before signing only saves the work. The same order in every
 * transaction keeps two of them from waiting for each other in a circle.
 */

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
