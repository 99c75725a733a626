/** The number of a document whose issuer leaves the numbering to the service. */
import type { CompanyRow } from "../../../companies";
import { type InvoiceRequest, needsSequenceExpiry, planEcf, toEcfType } from "../../../ecf/mapping";
import { msg, Problem } from "../../../platform/problem";
import type { HeldNumber, Numbering, NumberStanding } from "../../sequences";
import type { CheckedInvoice } from "../check/check-tenant";

/** As `encf`: the next number of the tenant's sequences. */
export const AUTO = "auto";

/** What the registered sequences say of a document's number. */
export async function findStanding(
	numbering: Pick<Numbering, "findStanding">,
	tenantId: string,
	invoice: InvoiceRequest,
	issuer: NumberIssuer,
): Promise<DocumentStanding> {
	const { encf } = invoice;
	return standingOf(invoice, encf === AUTO ? undefined : await numbering.findStanding({ tenantId, encf }), issuer);
}

type NumberIssuer = { readonly company: Pick<CompanyRow, "authorityEnvironment">; readonly today: string };

export type DocumentStanding = { readonly sequenceExpiresOn: string | undefined; readonly isOutsideRanges: boolean };

/**
 * The same when the sequence has been looked up already. The last day is undefined for types without one. A number that is still to be taken is
 * checked with the issuer's day, since numbers of expired sequences are never given. The authority's test environment takes numbers outside the
 * ranges with a remark.
 */
export function standingOf(
	{ type, encf }: InvoiceRequest,
	found: NumberStanding | undefined,
	{ company, today }: NumberIssuer,
): DocumentStanding {
	const lastDay = encf === AUTO ? today : found?.expiresOn;
	return {
		sequenceExpiresOn: needsSequenceExpiry(toEcfType(type)) ? lastDay : undefined,
		isOutsideRanges: found?.isOutsideRanges === true && company.authorityEnvironment !== "test",
	};
}

/** Throws: validation-error when the company numbers its documents itself. */
export function refuseAutoNumber(invoice: InvoiceRequest, company: Pick<CompanyRow, "settings">): void {
	if (invoice.encf !== AUTO || company.settings.sequenceMode === "service") return;
	const detail = msg`The company numbers its documents itself. Send the number, or set \`sequenceMode\` to "service".`;
	throw new Problem("validation-error", { faults: [{ pointer: "/encf", code: "auto-not-enabled", detail }] });
}

/**
 * The invoice under the number that it is checked with. Before a number is taken this is the first one of its type: the checks give the same
 * result under any number, and a refused document must not use one up.
 */
export function withPlaceholderNumber(invoice: InvoiceRequest): InvoiceRequest {
	return invoice.encf === AUTO ? { ...invoice, encf: `E${invoice.type}0000000001` } : invoice;
}

export function underNumber(
	checked: CheckedInvoice,
	{ encf, expiresOn }: Pick<HeldNumber, "encf" | "expiresOn">,
): CheckedInvoice {
	const { sequenceExpiresOn: _, ...unnumbered } = checked.input;
	const input = {
		...unnumbered,
		invoice: { ...unnumbered.invoice, encf },
		...(expiresOn === null ? {} : { sequenceExpiresOn: expiresOn }),
	};
	return { ...checked, input, plan: planEcf(input) };
}

/** Gives a number back. If that fails, the number is free again when its hold expires. */
export async function giveBackQuietly(
	numbering: Pick<Numbering, "giveBack">,
	key: { readonly tenantId: string; readonly type: string },
	holdId: string,
): Promise<void> {
	await numbering.giveBack(key, holdId).catch(() => undefined);
}
