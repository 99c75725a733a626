/** Issues one invoice: check → sign → store with its outbox message in one transaction → acknowledge. */
import { faultPoint } from "../telemetry";
import { findEarlier, type Repeat } from "./find-earlier";
import { findOriginal } from "./find-original";
import type { IssueDeps, IssueRequest } from "./issue-request";
import { checkFor, findIssuer, refuseInOutage, signFor } from "./issuer";
import { toRow } from "./new-row";
import { storeInvoice } from "./store-invoice";

/** A new document, or one that the request turned out to repeat. */
export type Issued = { readonly kind: "new"; readonly docId: string; readonly acknowledgement: string } | Repeat;

/**
 * Throws: validation-error, mathematical-discrepancy, tenant-config-missing, company-rnc-mismatch, client-request-id-conflict, encf-already-used,
 * authority-unavailable (nothing stored), service-unavailable (nothing stored).
 */
export async function issueInvoice(deps: IssueDeps, request: IssueRequest): Promise<Issued> {
	const { tenantId, invoice } = request;
	const sought = { tenantId, encf: invoice.encf, clientRequestId: invoice.client_request_id ?? null };
	const [issuer, collides, original] = await Promise.all([
		findIssuer(deps, tenantId),
		deps.gathered.collides(sought),
		findOriginal(deps.sql, tenantId, invoice),
	]);
	const checked = checkFor(deps, issuer, invoice, original);
	const earlier = collides ? await findEarlier(deps.sql, request) : undefined;
	if (earlier) return earlier;
	await refuseInOutage(deps, issuer);

	const signed = await signFor(deps, issuer, checked);
	const row = toRow(deps, request, checked, signed, issuer);
	const stored = await storeInvoice(deps, request, row);
	if (stored !== "stored") return stored;
	faultPoint("after-commit");
	deps.wake();
	return { kind: "new", docId: row.docId, acknowledgement: row.acknowledgement };
}
