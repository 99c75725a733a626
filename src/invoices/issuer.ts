/** Who issues: the tenant's company with its certificate, at one instant. */
import { type Segment, toSegment } from "../authority";
import { type CompanyRow, findCompany, findSigningIdentity } from "../companies";
import { Problem } from "../problem";
import type { SealedIdentity, SignedEcf } from "../signing";
import type { CheckedInvoice } from "./check-tenant";
import type { IssueDeps } from "./issue-request";
import { isBreakerOpen } from "./store";

export type Issuer = {
	readonly company: CompanyRow;
	/** Absent without a certificate that is valid now. */
	readonly identity: SealedIdentity | undefined;
	readonly segment: Segment;
	readonly now: Date;
};

/** Throws: tenant-config-missing without a company. */
export async function findIssuer(deps: IssueDeps, tenantId: string): Promise<Issuer> {
	const now = deps.clock.now();
	const [company, identity] = await Promise.all([
		findCompany(deps.sql, tenantId),
		findSigningIdentity(deps.sql, tenantId, now),
	]);
	if (!company) throw new Problem("tenant-config-missing", { extensions: { missing: ["company"] } });
	return { company, identity, segment: toSegment(company.authorityEnvironment), now };
}

/** Throws: authority-unavailable, with nothing stored, when the authority is down and the company would rather be refused. */
export async function refuseInOutage(deps: IssueDeps, { company, segment }: Issuer): Promise<void> {
	if (company.settings.outagePolicy !== "reject" || !(await isBreakerOpen(deps.sql, segment))) return;
	const detail = "The authority is known to be down, and the company's outage policy is to refuse. Nothing was stored.";
	throw new Problem("authority-unavailable", {
		detail,
		extensions: { stored: false, retryable: true },
		headers: { "retry-after": "30" },
	});
}

/** Throws: service-unavailable when too much waits to be signed. */
export function signFor(deps: IssueDeps, { company }: Issuer, checked: CheckedInvoice): Promise<SignedEcf> {
	return deps.signer.signInvoice({
		tenantId: company.tenantId,
		input: checked.input,
		identity: checked.identity,
		profile: company.settings.signatureProfile,
	});
}
