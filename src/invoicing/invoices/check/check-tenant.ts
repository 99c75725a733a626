/** The rules of an invoice that depend on its issuer, on the registry and on earlier documents. */
import { checkBusinessRules, type OriginalDocument } from "../../../authority/rules";
import { type CompanyRow, configMissing, tenantsDay, toEcfIssuer } from "../../../companies";
import {
	createWarning,
	type EcfInput,
	type EcfPlan,
	findOtherIssuer,
	findProfile,
	type InvoiceRequest,
	needsSequenceExpiry,
	planEcf,
	toFault,
	type Warning,
} from "../../../ecf/mapping";
import type { SealedIdentity } from "../../../ecf/signing";
import { type Fault, msg, Problem } from "../../../platform/problem";
import {
	Decimal,
	type Environment,
	isSandbox,
	MAILABLE_PATTERN,
	parseTaxpayerDocument,
	toLocalIsoDate,
} from "../../../platform/values";
import type { Registry, RegistryEntry } from "../../../registry";
import type { RegistryView } from "../model/invoice-row";
import { findWithNotes, type NoteFacts } from "../model/store";
import type { Sources } from "../model/stored-document";
import { refuseDiscrepancies } from "./check-request";
import { checkTotals, hasFullLength } from "./check-values";
import { type Handling, isStrict } from "./known-rejections";
import { checkPlausibility } from "./plausibility";
import { checkBuyer } from "./scenario";

/** Expiry in documents of a sandbox whose company states none. Source: data sets seen in the authority's test service. */
const SANDBOX_SEQUENCE_EXPIRES_ON = "2028-12-31";
/** Findings that add nothing if the totals contradict each other. */
const FROM_TOTALS = new Set([
	"totals-inconsistent",
	"tax-ambiguous",
	"tax-rounding",
	"tax-not-derivable",
	"adjustments-not-in-totals",
	"adjustment-percent",
	"base-18-differs",
	"base-differs",
	"itbis-differs",
]);
const WARNINGS_MAX = 100;
/** Modification code of a note that cancels its original. */
const CANCELS = "1";
const ACTIVE_STATUS = "ACTIVO";

export type RegistryReader = Pick<Registry, "lookup" | "isLoaded" | "runId" | "sourceSha256" | "status" | "scoreName">;

export type TenantFacts = {
	readonly company: CompanyRow;
	readonly identity: SealedIdentity | undefined;
	readonly environment: Environment;
	/** Last day of the registered sequence that the number belongs to. */
	readonly sequenceExpiresOn?: string | undefined;
	readonly registry: RegistryReader;
	/** The document that a note modifies, if the service issued it. */
	readonly original?: OriginalDocument | undefined;
	/** It was looked up, and is neither stored nor in the same batch. */
	readonly isOriginalMissing?: boolean;
	/** The company has registered ranges of the type, and none of them has the number. */
	readonly isOutsideRanges?: boolean;
	readonly handling?: Handling | undefined;
	readonly now: Date;
};

export type CheckedInvoice = {
	readonly input: EcfInput;
	readonly plan: EcfPlan;
	readonly identity: SealedIdentity;
	readonly warnings: readonly Warning[];
	readonly registry: RegistryView;
};

/**
 * Checks a request against its tenant. Throws, in this order: validation-error (what the format cannot hold; in strict mode
 * every warning too), mathematical-discrepancy, tenant-config-missing, company-rnc-mismatch.
 */
export function checkAgainstTenant(invoice: InvoiceRequest, facts: TenantFacts): CheckedInvoice {
	const { company, environment, identity } = facts;
	const input = toEcfInput(invoice, facts);
	const plan = planEcf(input);
	const parties = lookUpParties(invoice, facts);
	const warnings = listWarnings(plan, invoice, parties, facts);

	// Contradicting totals lead to odd bases. The discrepancy itself is reported instead.
	const isPlannable = checkTotals(invoice).length === 0;
	const isMeant = ({ code }: { code: string }) => isPlannable || !FROM_TOTALS.has(code);
	const faults: Fault[] = [
		...plan.faults.filter(isMeant),
		...checkBuyer(invoice.customer?.rnc, environment),
		...checkDeferral(invoice, company),
	];
	if (isStrict(company, facts.handling)) faults.push(...warnings.filter(isMeant).map(toFault));
	else if (environment === "production") faults.push(...checkLength(invoice).map(toFault));
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	refuseDiscrepancies(invoice);

	const missing: string[] = [];
	if (!company.rnc) missing.push("rnc");
	if (!identity) missing.push("certificate");
	if (!input.sequenceExpiresOn && needsSequenceExpiry(plan.type)) missing.push("sequence");
	if (company.status !== "active") missing.push("active");
	if (!identity || missing.length > 0) throw configMissing(company.tenantId, missing);
	if (parseTaxpayerDocument(invoice.company.rnc)?.digits !== company.rnc) {
		throw new Problem("company-rnc-mismatch", {
			detail: msg`company.rnc is not the RNC of the token's tenant.`,
			faults: [
				{ pointer: "/company/rnc", code: "company-rnc-mismatch", detail: msg`Is not the RNC of the token's tenant.` },
			],
		});
	}
	return { input, plan, identity, warnings: shorten(warnings), registry: parties.view };
}

function toEcfInput(invoice: InvoiceRequest, facts: TenantFacts): EcfInput {
	const { company, environment, now } = facts;
	const expiry =
		facts.sequenceExpiresOn ??
		company.settings.sequenceExpiresOn ??
		(isSandbox(environment) ? SANDBOX_SEQUENCE_EXPIRES_ON : undefined);
	return {
		invoice,
		issuer: toEcfIssuer(company),
		...(expiry ? { sequenceExpiresOn: expiry } : {}),
		signedAt: now.toISOString(),
	};
}

/** Warnings of the mapping and of the authority's rules. If both concern the same thing, the rule's text is used. */
function listWarnings(
	plan: EcfPlan,
	invoice: InvoiceRequest,
	{ view, buyer, isStale }: Parties,
	{ original, company, now, registry, isOutsideRanges = false, isOriginalMissing = false }: TenantFacts,
): Warning[] {
	const isDerivable = !plan.warnings.some(({ code }) => code === "tax-not-derivable");
	const breaches = checkBusinessRules({
		...{ plan, issuersDay: tenantsDay(now, company.clockAheadSeconds), isOutsideRanges },
		...(view.runId === null ? {} : { registry: { ...view, isStale } }),
		...(original ? { original } : {}),
		// A tax that follows from no rates differs from that of its rates; that is one finding.
	}).filter(({ code }) => isDerivable || code !== "itbis-differs");
	const { scoreName } = registry;
	const issuerRnc = company.rnc;
	const isSaid = ({ code, pointer }: Warning) =>
		code === "encf-length" || breaches.some((breach) => breach.code === code && breach.pointer === pointer);
	return [
		...plan.warnings.filter((warning) => !isSaid(warning)),
		...checkLength(invoice),
		...breaches,
		...checkPlausibility({ plan, invoice, issuerRnc, buyer, scoreName, isOriginalMissing }),
		...findUnmailable(invoice.emails),
	];
}

/**
 * At most as many warnings as a problem has violations. Each broken rule is among them, because the validation record is derived from the stored
 * warnings.
 */
function shorten(warnings: readonly Warning[]): readonly Warning[] {
	if (warnings.length <= WARNINGS_MAX) return warnings;
	const firsts = [...new Map(warnings.toReversed().map((warning) => [warning.code, warning])).values()];
	const kept = new Set([...new Set([...firsts, ...warnings])].slice(0, WARNINGS_MAX - 1));
	const shown = warnings.filter((warning) => kept.has(warning));
	const detail = `${warnings.length - shown.length} more warnings were omitted.`;
	return [...shown, { code: "more-warnings", pointer: "", detail }];
}

/** Gap: the longest delay of deferred sending is not published; 24 hours are assumed, and a deferred document is sent as soon as it can be. */
function checkDeferral({ deferred }: InvoiceRequest, { settings }: CompanyRow): Fault[] {
	if (!deferred || settings.deferredSending) return [];
	return [
		{
			pointer: "/deferred",
			code: "deferred-not-authorised",
			detail: msg`Set the company's settings.deferredSending to the authority's authorisation first.`,
			detailEs: "Registre primero en settings.deferredSending de la empresa la autorización de la autoridad.",
		},
	];
}

function checkLength(invoice: InvoiceRequest): Warning[] {
	if (hasFullLength(invoice.encf)) return [];
	const detail = msg`The authority's numbers have 13 characters; this one has ${invoice.encf.length}.`;
	return [createWarning("encf-length", "/encf", detail)];
}

type Parties = { readonly view: RegistryView; readonly buyer: RegistryEntry | undefined; readonly isStale: boolean };

function lookUpParties(invoice: InvoiceRequest, { company, registry }: TenantFacts): Parties {
	const find = (rnc: string | undefined) => {
		const document = rnc === undefined ? undefined : parseTaxpayerDocument(rnc);
		return document && registry.lookup(document);
	};
	if (!registry.isLoaded()) {
		return { view: { issuer: null, buyer: null, runId: null }, buyer: undefined, isStale: true };
	}
	const [issuer, buyer] = [find(company.rnc), find(invoice.customer?.rnc)];
	const runId = registry.runId() ?? null;
	const named = invoice.customer?.rnc !== undefined;
	const view: RegistryView = {
		...{ issuer: issuer?.status ?? null, buyer: buyer?.status ?? null, runId },
		...(runId === null
			? {}
			: {
					evidence: {
						...{ run_id: runId, source_sha256: registry.sourceSha256() ?? null, issuer: issuer ?? "not_found" },
						...(named ? { buyer: buyer ?? "not_found" } : {}),
					},
				}),
	};
	return { view, buyer, isStale: issuer !== undefined && issuer.status !== ACTIVE_STATUS && registry.status().stale };
}

/** The document that a note modifies, with the balance that earlier notes left. Undefined if the service did not issue it. */
export async function findOriginal(
	sources: Sources,
	tenantId: string,
	invoice: InvoiceRequest,
): Promise<OriginalDocument | undefined> {
	const [original] = await findOriginals(sources, tenantId, [invoice]);
	return original;
}

/** The same for many at once, in their order. */
export async function findOriginals(
	sources: Sources,
	tenantId: string,
	invoices: readonly InvoiceRequest[],
): Promise<(OriginalDocument | undefined)[]> {
	const encfs = invoices.map((invoice) =>
		findOtherIssuer(invoice, invoice.company.rnc) === undefined ? invoice.reference?.encf : undefined,
	);
	const sought = [...new Set(encfs.filter((encf) => encf !== undefined))];
	if (sought.length === 0) return invoices.map(() => undefined);
	const rows = await findWithNotes(sources, tenantId, sought);
	const originals = new Map(rows.filter((row) => row.modifies === null).map((row) => [row.encf, row]));
	const notes = Map.groupBy(rows, (row) => row.modifies ?? "");
	return invoices.map((invoice, i) => {
		const encf = encfs[i] ?? "";
		const original = originals.get(encf);
		// Without the note itself, so that a repeat of its request does not find its own amount gone.
		return original && toOriginal(original, notes.get(encf) ?? [], invoice.encf);
	});
}

function toOriginal(original: NoteFacts, all: readonly NoteFacts[], ownEncf: string): OriginalDocument {
	const notes = all.filter((note) => note.encf !== ownEncf && note.status !== "rejected");
	const changes = notes.map(({ type, total }) => {
		const amount = Decimal.of(total);
		return findProfile(type)?.sign === -1 ? amount.negated() : amount;
	});
	const total = Decimal.of(original.total);
	const buyer = original.buyerRnc === null ? undefined : parseTaxpayerDocument(original.buyerRnc)?.digits;
	const foreignBuyer = original.foreignBuyer?.trim();
	return {
		status: original.status,
		issueDate: original.issueDate ?? toLocalIsoDate(original.signedAt),
		...(buyer === undefined ? {} : { buyerRnc: buyer }),
		...(foreignBuyer ? { foreignBuyer } : {}),
		total: total.toFixed(2),
		balance: Decimal.sum([total, ...changes]).toFixed(2),
		isAnnulled: notes.some((note) => isCancelling(note) && note.status === "accepted"),
	};
}

function isCancelling({ type, code }: NoteFacts): boolean {
	return code === CANCELS && findProfile(type)?.sign === -1;
}

const MAILABLE = new RegExp(MAILABLE_PATTERN);

/** The requested addresses that can receive mail, each once whatever its case. `request` is the JSON text as received. */
export function readRequestedAddresses(request: string): string[] {
	// Most documents name none, and every verdict comes through here. The member name may be written with escapes.
	if (!request.includes('"emails"') && !request.includes("\\u")) return [];
	const { emails = [] } = JSON.parse(request) as { readonly emails?: readonly string[] };
	const bySpelling = new Map(
		emails.filter((one) => MAILABLE.test(one)).map((address) => [address.toLowerCase(), address]),
	);
	return [...bySpelling.values()];
}

/** A warning for each address that cannot receive mail. */
export function findUnmailable(emails: readonly string[] = []): Warning[] {
	return emails.flatMap((address, n) => {
		if (MAILABLE.test(address)) return [];
		const detail = "Is not a plain e-mail address at a host with a domain. The document is not mailed to it.";
		return [{ pointer: `/emails/${n}`, code: "not-mailable", detail }];
	});
}
