/** Issues one invoice: check → sign → store with its outbox message in one transaction → acknowledge. */

import { isSummaryRoad } from "../../../ecf/signing";
import { faultPoint } from "../../../platform/failpoints";
import { hashPayload, nameOfPlace } from "../../../platform/idempotency";
import type { CheckedInvoice } from "../check/check-tenant";
import { findOriginal } from "../check/find-original";
import { toRow } from "./build-invoice-row";
import { findEarlier, type Repeat } from "./find-duplicate";
import type { IssueDeps, IssueRequest } from "./issue-request";
import { checkFor, type Issuer, refuseInOutage, signFor, toIssuer } from "./issuer";
import { AUTO, expiryOf, underNumber, withNumber } from "./number-document";
import type { Facts } from "./preflight-query";
import { storeInvoice } from "./store-invoice";

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
