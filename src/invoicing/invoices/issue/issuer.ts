/** Who issues: the tenant's company with its certificate, at one instant. */

import { type AuthorityUrls, type Segment, toSegment } from "../../../authority/client";
import type { OriginalDocument } from "../../../authority/rules";
import { type Channel, isBreakerOpen } from "../../../authority/status";
import { type Issuer as KnownIssuer, tenantsDay } from "../../../companies";
import type { InvoiceRequest } from "../../../ecf/mapping";
import { draftEcf, type SignedDocuments, type Signer } from "../../../ecf/signing";
import type { Sql } from "../../../platform/database";
import { faultPoint } from "../../../platform/failpoints";
import type { KeyPlace } from "../../../platform/idempotency";
import { Problem } from "../../../platform/problem";
import type { Clock, Environment } from "../../../platform/values";
import type { Registry } from "../../../registry";
import type { Numbering } from "../../sequences";
import { type CheckedInvoice, checkAgainstTenant } from "../check/check-tenant";
import type { Scenario } from "../check/scenario";
import type { Gathered } from "./batched-queries";
import { refuseAutoNumber, withStandIn } from "./document-number";

export type Issuer = KnownIssuer & {
	readonly segment: Segment;
	readonly now: Date;
	/** By its test clock, where it has one. */
	readonly today: string;
};

/** Throws: tenant-config-missing without a company. */
export async function findIssuer(deps: IssueDeps, tenantId: string): Promise<Issuer> {
	return toIssuer(deps, await deps.gathered.findIssuer(tenantId));
}

/** Throws: tenant-config-missing without a company. */
export function toIssuer({ clock }: Pick<IssueDeps, "clock">, issuer: KnownIssuer | undefined): Issuer {
	const now = clock.now();
	if (!issuer) throw new Problem("tenant-config-missing", { extensions: { missing: ["company"] } });
	const { authorityEnvironment, clockAheadSeconds } = issuer.company;
	return { ...issuer, segment: toSegment(authorityEnvironment), now, today: tenantsDay(now, clockAheadSeconds) };
}

/** What was looked up for one invoice: the document that a note modifies, and the last day of its number's sequence. */
export type LookedUp = {
	readonly original: OriginalDocument | undefined;
	readonly sequenceExpiresOn: string | undefined;
};

/** Checks an invoice, one without a number under a stand-in. Throws: as `checkAgainstTenant`. */
export function checkFor(
	{ environment, registry }: IssueDeps,
	issuer: Issuer,
	invoice: InvoiceRequest,
	{ original, sequenceExpiresOn }: LookedUp,
): CheckedInvoice {
	refuseAutoNumber(invoice, issuer.company);
	return checkAgainstTenant(withStandIn(invoice), { ...issuer, environment, registry, original, sequenceExpiresOn });
}

/** Throws: authority-unavailable, with nothing stored, when the authority is down and the company would rather be refused; without a road, when any is. */
export async function refuseInOutage(deps: IssueDeps, { company, segment }: Issuer, road?: Channel): Promise<void> {
	if (company.settings.outagePolicy !== "reject" || !(await isBreakerOpen(deps.sql, segment, road))) return;
	const detail = "The authority is known to be down, and the company's outage policy is to refuse. Nothing was stored.";
	throw new Problem("authority-unavailable", {
		detail,
		extensions: { stored: false, retryable: true },
		headers: { "retry-after": "30" },
	});
}

/** Throws: service-unavailable when too much waits to be signed. */
export async function signFor(deps: IssueDeps, { company }: Issuer, checked: CheckedInvoice): Promise<SignedDocuments> {
	faultPoint("before-sign");
	const signed = await deps.signer.signInvoice({
		tenantId: company.tenantId,
		draft: draftEcf(checked.input, checked.plan),
		identity: checked.identity,
		profile: company.settings.signatureProfile,
	});
	faultPoint("after-sign");
	return signed;
}

/** What issuing needs, and what it is asked. */

export type IssueDeps = {
	readonly sql: Sql;
	readonly signer: Signer;
	readonly registry: Pick<Registry, "lookup" | "isLoaded" | "runId">;
	readonly authorityUrls: AuthorityUrls;
	readonly environment: Environment;
	readonly clock: Clock;
	/** Tells dispatchers that a message waits. */
	readonly wake: () => void;
	readonly gathered: Gathered;
	readonly numbering: Numbering;
};

/** One invoice of a tenant whose form has been checked. */
export type ItemRequest = {
	readonly tenantId: string;
	/** JSON text as received. */
	readonly text: string;
	readonly invoice: InvoiceRequest;
	/** What is to happen to it, in a sandbox. */
	readonly scenario?: Scenario;
};

/** One invoice under an idempotency key. */
export type IssueRequest = ItemRequest & { readonly place: KeyPlace; readonly rawSha256: Uint8Array };
