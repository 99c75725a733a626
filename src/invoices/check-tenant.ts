/** The rules of an invoice that depend on who issues it and on the registry. */
import { type CompanyRow, toEcfIssuer } from "../companies";
import { type Fault, Problem } from "../problem";
import type { Registry } from "../registry";
import type { EcfInput, SealedIdentity, Warning } from "../signing";
import { planEcf } from "../signing";
import { type Environment, isSandbox, parseTaxpayerDocument } from "../values";
import { refuseDiscrepancies } from "./check-request";
import { hasFullLength } from "./encf";
import type { InvoiceRequest } from "./invoice";
import { checkTotals } from "./totals";

/** Expiry that documents of a sandbox carry when the company names none. Source: data sets seen in the authority's test service. */
const SANDBOX_SEQUENCE_EXPIRES_ON = "2028-12-31";
/** Findings that say nothing new of totals that contradict each other. */
const FROM_TOTALS = new Set(["totals-inconsistent", "tax-not-derivable", "adjustments-not-in-totals"]);
/** Types whose sequences never expire. Source: the authority's e-CF format. */
const WITHOUT_EXPIRY = new Set(["32", "34"]);

export type TenantFacts = {
	readonly company: CompanyRow;
	readonly identity: SealedIdentity | undefined;
	readonly environment: Environment;
	/** Last day of the registered sequence that the number belongs to. */
	readonly sequenceExpiresOn?: string | undefined;
	readonly registry: Pick<Registry, "lookup" | "isLoaded" | "runId">;
	readonly now: Date;
};

/** What the registry says of the parties; kept with the document. */
export type RegistryView = {
	readonly issuer: string | null;
	readonly buyer: string | null;
	readonly runId: string | null;
};

export type CheckedInvoice = {
	readonly input: EcfInput;
	readonly identity: SealedIdentity;
	readonly warnings: readonly Warning[];
	readonly registry: RegistryView;
	/** The document's total as it stands in the e-CF. */
	readonly total: string;
};

/**
 * Checks a request against its tenant. Throws, in this order: validation-error (what the format cannot hold; in strict mode
 * every warning too), mathematical-discrepancy, tenant-config-missing, company-rnc-mismatch.
 */
export function checkAgainstTenant(invoice: InvoiceRequest, facts: TenantFacts): CheckedInvoice {
	const { company, environment, identity } = facts;
	const isStrict = company.settings.strictValidation;
	const input = toEcfInput(invoice, facts);
	const plan = planEcf(input);
	const registry = lookUpParties(invoice, facts);
	const warnings = [
		...plan.warnings.filter((w) => w.code !== "encf-length"),
		...checkLength(invoice),
		...checkCustomer(invoice, facts, registry),
	];

	// Totals that contradict each other leave odd bases; what is wrong with them is told by the discrepancy itself.
	const isPlannable = checkTotals(invoice).length === 0;
	const isMeant = ({ code }: { code: string }) => isPlannable || !FROM_TOTALS.has(code);
	const faults: Fault[] = plan.faults.filter(isMeant);
	if (isStrict)
		faults.push(...warnings.filter(isMeant).map(({ code, pointer, detail }) => ({ code, pointer, detail })));
	else if (environment === "production") faults.push(...checkLength(invoice));
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	refuseDiscrepancies(invoice);

	const missing: string[] = [];
	if (!company.rnc) missing.push("rnc");
	if (!identity) missing.push("certificate");
	if (!input.sequenceExpiresOn && !WITHOUT_EXPIRY.has(invoice.type)) missing.push("sequence");
	if (company.status !== "active") missing.push("active");
	if (!identity || missing.length > 0) {
		const detail = `The company lacks: ${missing.join(", ")}.`;
		throw new Problem("tenant-config-missing", {
			detail,
			extensions: { missing, fix: `/v1/company/${company.tenantId}` },
		});
	}
	if (parseTaxpayerDocument(invoice.company.rnc)?.digits !== company.rnc) {
		throw new Problem("company-rnc-mismatch", {
			detail: "company.rnc is not the RNC of the token's tenant.",
			faults: [
				{ pointer: "/company/rnc", code: "company-rnc-mismatch", detail: "Is not the RNC of the token's tenant." },
			],
		});
	}
	return { input, identity, warnings, registry, total: plan.totals.total };
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

function checkLength(invoice: InvoiceRequest): Warning[] {
	if (hasFullLength(invoice.encf)) return [];
	return [
		{
			pointer: "/encf",
			code: "encf-length",
			detail: `The authority's numbers have 13 characters, this one ${invoice.encf.length}.`,
		},
	];
}

function lookUpParties(invoice: InvoiceRequest, { company, registry }: TenantFacts): RegistryView {
	const statusOf = (rnc: string | undefined) => {
		const document = rnc === undefined ? undefined : parseTaxpayerDocument(rnc);
		return document ? (registry.lookup(document)?.status ?? null) : null;
	};
	if (!registry.isLoaded()) return { issuer: null, buyer: null, runId: null };
	return { issuer: statusOf(company.rnc), buyer: statusOf(invoice.customer?.rnc), runId: registry.runId() ?? null };
}

function checkCustomer(invoice: InvoiceRequest, { registry }: TenantFacts, view: RegistryView): Warning[] {
	if (invoice.customer?.rnc === undefined || !registry.isLoaded()) return [];
	const pointer = "/customer/rnc";
	if (view.buyer === null)
		return [{ pointer, code: "customer-unknown", detail: "The registry has no entry for the customer." }];
	if (view.buyer !== "ACTIVO")
		return [{ pointer, code: "customer-inactive", detail: `The registry lists the customer as ${view.buyer}.` }];
	return [];
}
