/**
 * What a certification test set does with its documents: they are checked as every invoice is, signed all together before any is sent,
 * stored one by one when their turn comes, and from then on go the road of every document.
 *
 * They belong to the authority's certification environment, whose numbers are not those of the environment in which the company issues: so
 * they hold no number of the company's, unless that is where it issues.
 */
import { toSegment } from "../../../authority/client";
import type { Issuer as KnownIssuer } from "../../../companies";
import { draftEcf, type EcfDraft, type SignedDocuments } from "../../../ecf/signing";
import { Problem } from "../../../platform/problem";
import type { Environment } from "../../../platform/values";
import { checkRequest } from "../check/check-request";
import { type CheckedInvoice, checkAgainstTenant, type TenantFacts } from "../check/check-tenant";
import { toRow } from "../issue/build-invoice-row";
import type { IssueDeps } from "../issue/issue-request";
import type { InvoiceRequest } from "../model/invoice";
import type { NewInvoice } from "../model/invoice-row";

/** Signed and whole; what is stored of a document, its set aside. Plain data but for the time of receipt, which it gets when it is sent. */
export type TestDocument = Omit<NewInvoice, "receivedAt" | "holdId" | "scenario">;

export type TestDraft = {
	readonly invoice: InvoiceRequest;
	readonly checked: CheckedInvoice;
	readonly draft: EcfDraft;
};

export type TestIssuer = KnownIssuer & { readonly environment: Environment; readonly now: Date };

/** The registry is not asked: whom the documents name is the service's choice, and its standing there the authority's business. */
const NO_REGISTRY: TenantFacts["registry"] = {
	lookup: () => undefined,
	isLoaded: () => false,
	runId: () => undefined,
};

/**
 * Checks a request and writes its document. What the authority is known to reject is a fault, because one rejection spoils the whole set; a
 * company's own strictness, which minds what the registry says too, does not count. Throws: as `checkRequest` and `checkAgainstTenant`; validation-error for what the authority would reject.
 */
export function draftTestDocument(
	request: unknown,
	issuer: TestIssuer,
	facts: Pick<TenantFacts, "original" | "pricesIncludeTax">,
): TestDraft {
	const invoice = checkRequest(request, issuer.now);
	const { settings } = issuer.company;
	const company = { ...issuer.company, settings: { ...settings, strictValidation: false } };
	const checked = checkAgainstTenant(invoice, { ...issuer, ...facts, company, registry: NO_REGISTRY });
	const faults = checked.warnings
		.filter((warning) => warning.verdict === "rejected")
		.map((warning) => ({ ...warning }));
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	return { invoice, checked, draft: draftEcf(checked.input, checked.plan) };
}

/** The document as it is to be stored. */
export function toTestDocument(
	deps: Pick<IssueDeps, "authorityUrls">,
	issuer: TestIssuer,
	{ invoice, checked }: TestDraft,
	signed: SignedDocuments,
): TestDocument {
	const request = { tenantId: issuer.company.tenantId, text: JSON.stringify(invoice), invoice };
	const segment = toSegment("certification");
	const { receivedAt: _, ...document } = toRow(deps, request, checked, signed, { ...issuer, segment });
	return document;
}
