/** The issuer of an invoice, what issuing depends on, and the checks and the signature that are made in the issuer's name. */
import type { ReadSealed } from "../../../archive";
import { type AuthorityUrls, type ClockSkew, type Segment, SKEW_MAX_MS, toSegment } from "../../../authority/client";
import type { OriginalDocument } from "../../../authority/rules";
import { type AuthorityStatus, type Channel, isBreakerOpen } from "../../../authority/status";
import { type Issuer as KnownIssuer, tenantsDay } from "../../../companies";
import type { InvoiceRequest } from "../../../ecf/mapping";
import { draftEcf, type PackedDocuments, type Signer } from "../../../ecf/signing";
import type { KeyedQueue } from "../../../platform/concurrency";
import type { Sql } from "../../../platform/database";
import { failpoint } from "../../../platform/failpoints";
import { msg, Problem } from "../../../platform/problem";
import type { Log } from "../../../platform/telemetry";
import type { Clock, Environment } from "../../../platform/values";
import type { Numbering } from "../../sequences";
import { type CheckedInvoice, checkAgainstTenant, type RegistryReader } from "../check/check-tenant";
import type { Handling } from "../check/known-rejections";
import type { Scenario } from "../check/scenario";
import type { AcknowledgedRing } from "./acknowledged-ring";
import type { AdmissionControl } from "./admission-control";
import type { BatchedQueries } from "./batched-queries";
import { type DocumentStanding, refuseAutoNumber, withPlaceholderNumber } from "./document-number";

/** What issuing needs, singly or in batches. */
export type IssueDeps = {
	readonly sql: Sql;
	readonly readSealed: ReadSealed;
	readonly signer: Signer;
	readonly registry: RegistryReader;
	readonly authorityUrls: AuthorityUrls;
	readonly authorityStatus: Pick<AuthorityStatus, "isContingency">;
	readonly environment: Environment;
	readonly clock: Clock;
	/** Of `clock` against the authority's. */
	readonly clockSkew: ClockSkew;
	/** Whether what is stored may be acknowledged, although a standby may be missing. */
	readonly mayAcknowledge: () => boolean;
	/** Absent with the embedded database, which no other server replaces. */
	readonly ring: AcknowledgedRing | undefined;
	readonly log: Log;
	/** Address under which problem documents are described. */
	readonly baseUrl: string;
	/** Notifies dispatchers of new messages. */
	readonly wake: () => void;
	readonly queries: BatchedQueries;
	readonly numbering: Numbering;
	/** Runs one request per idempotency key at a time. */
	readonly requestQueue: KeyedQueue;
	readonly admission: AdmissionControl;
	readonly isDraining: () => boolean;
};

export type ItemRequest = {
	readonly tenantId: string;
	readonly text: string;
	readonly invoice: InvoiceRequest;
	/** What the simulator does with it, in a sandbox. */
	readonly scenario?: Scenario | undefined;
	/** How strictly the caller wants it to be judged. */
	readonly handling?: Handling | undefined;
};

/** The tenant's company with its certificate, at one instant. */
export type Issuer = KnownIssuer & {
	readonly segment: Segment;
	readonly now: Date;
	/** By the tenant's test clock, if there is one. */
	readonly today: string;
};

/** Throws: tenant-config-missing without a company. */
export async function findIssuer(deps: Pick<IssueDeps, "clock" | "queries">, tenantId: string): Promise<Issuer> {
	return toIssuer(deps, await deps.queries.findIssuer(tenantId));
}

/** Throws: tenant-config-missing without a company. */
export function toIssuer({ clock }: Pick<IssueDeps, "clock">, issuer: KnownIssuer | undefined): Issuer {
	const now = clock.now();
	if (!issuer) throw new Problem("tenant-config-missing", { extensions: { missing: ["company"] } });
	const { authorityEnvironment, clockAheadSeconds } = issuer.company;
	return { ...issuer, segment: toSegment(authorityEnvironment), now, today: tenantsDay(now, clockAheadSeconds) };
}

/** What was looked up for one invoice: the document that a note modifies, and its number's sequence. */
export type LookedUp = DocumentStanding & {
	readonly original: OriginalDocument | undefined;
	/** The original is in the same batch, and so not stored yet. */
	readonly isOriginalInBatch?: boolean;
};

/** Checks an invoice, one without a number under a placeholder. Throws: as `checkAgainstTenant`. */
export function checkFor(
	{ environment, registry }: Pick<IssueDeps, "environment" | "registry">,
	issuer: Issuer,
	{ invoice, handling }: Pick<ItemRequest, "invoice" | "handling">,
	{ original, isOriginalInBatch = false, ...standing }: LookedUp,
): CheckedInvoice {
	refuseAutoNumber(invoice, issuer.company);
	return checkAgainstTenant(withPlaceholderNumber(invoice), {
		...issuer,
		environment,
		registry,
		...{ original, isOriginalMissing: original === undefined && !isOriginalInBatch },
		...standing,
		handling,
	});
}

/**
 * Throws: authority-unavailable while the authority is down and the company's policy is to refuse. Without a channel, an outage of either
 * channel counts.
 */
export async function refuseInOutage(
	{ sql }: Pick<IssueDeps, "sql">,
	{ company, segment }: Issuer,
	channel?: Channel,
): Promise<void> {
	if (company.settings.outagePolicy !== "reject" || !(await isBreakerOpen(sql, segment, channel))) return;
	throw new Problem("authority-unavailable", {
		detail: msg`The authority is down, and the company's outage policy is to refuse. Nothing was stored.`,
		extensions: { stored: false, retryable: true },
		headers: { "retry-after": "30" },
	});
}

/**
 * Throws: clock-skew if a signature would state a wrong time. A clock that is ahead by minutes does sign, and the submission waits. An unknown skew is
 * accepted.
 */
export async function refuseWrongClock(
	{ clockSkew }: Pick<IssueDeps, "clockSkew">,
	{ segment }: Issuer,
): Promise<void> {
	const aheadMs = await clockSkew.aheadMs(segment);
	if (aheadMs === undefined || Math.abs(aheadMs) <= SKEW_MAX_MS) return;
	const seconds = Math.round(Math.abs(aheadMs) / 1000);
	throw new Problem("clock-skew", {
		detail:
			aheadMs > 0
				? msg`This service's clock is ${seconds} s ahead of the authority's. Nothing was signed or stored.`
				: msg`This service's clock is ${seconds} s behind the authority's. Nothing was signed or stored.`,
		extensions: { stored: false, retryable: true },
		headers: { "retry-after": "30" },
	});
}

/** Throws: durability-lost while no standby confirms what is stored, where that is needed. */
export function refuseUnreplicated({ mayAcknowledge }: Pick<IssueDeps, "mayAcknowledge">): void {
	if (mayAcknowledge()) return;
	throw new Problem("durability-lost", {
		detail: msg`No standby confirms what the database stores. Nothing was signed or stored.`,
		extensions: { stored: false, retryable: true },
		headers: { "retry-after": "5" },
	});
}

/** Signs an invoice and packs it with its request. Throws: service-unavailable when too many documents wait for a signature. */
export async function signFor(
	{ signer }: Pick<IssueDeps, "signer">,
	issuer: Issuer,
	checked: CheckedInvoice,
	request: string,
): Promise<PackedDocuments> {
	failpoint("before-sign");
	const signed = await signer.signAndPack({ ...toSignJob(issuer, checked), packedWith: request });
	failpoint("after-sign");
	return signed;
}

export function toSignJob({ company }: Issuer, checked: CheckedInvoice) {
	return {
		tenantId: company.tenantId,
		draft: draftEcf(checked.input, checked.plan),
		identity: checked.identity,
		profile: company.settings.signatureProfile,
	};
}
