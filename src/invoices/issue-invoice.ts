/** Issues one invoice: check → sign → store with its outbox message in one transaction → acknowledge. */
import { nameOfPlace } from "../idempotency";
import { faultPoint } from "../telemetry";
import type { CheckedInvoice } from "./check-tenant";
import { findEarlier, type Repeat } from "./find-earlier";
import { findOriginal } from "./find-original";
import type { IssueDeps, IssueRequest } from "./issue-request";
import { checkFor, findIssuer, type Issuer, refuseInOutage, signFor } from "./issuer";
import { toRow } from "./new-row";
import { AUTO, findExpiry, underNumber, withNumber } from "./number-document";
import { storeInvoice } from "./store-invoice";

/** A new document, or one that the request turned out to repeat. */
export type Issued = { readonly kind: "new"; readonly docId: string; readonly acknowledgement: string } | Repeat;

/**
 * Throws: validation-error, mathematical-discrepancy, tenant-config-missing, company-rnc-mismatch, client-request-id-conflict, encf-already-used,
 * sequence-exhausted, authority-unavailable (nothing stored), service-unavailable (nothing stored).
 */
export async function issueInvoice(deps: IssueDeps, request: IssueRequest): Promise<Issued> {
	const { tenantId, invoice } = request;
	const sought = { tenantId, encf: invoice.encf, clientRequestId: invoice.client_request_id ?? null };
	const [issuer, collides, original, sequenceExpiresOn] = await Promise.all([
		findIssuer(deps, tenantId),
		deps.gathered.collides(sought),
		findOriginal(deps.sql, tenantId, invoice),
		findExpiry(deps.numbering, tenantId, invoice, deps.clock.now()),
	]);
	const checked = checkFor(deps, issuer, invoice, { original, sequenceExpiresOn });
	const earlier = collides ? await findEarlier(deps.sql, request) : undefined;
	if (earlier) return earlier;
	await refuseInOutage(deps, issuer);

	if (invoice.encf !== AUTO) {
		const issued = await signAndStore(deps, request, issuer, checked);
		if (issued === "number-lost") throw new Error("a document without a hold has lost its number");
		return issued;
	}
	const place = `${nameOfPlace(request.place)} ${Buffer.from(request.payloadSha256).toString("hex")}`;
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
