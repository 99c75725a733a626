/** The step that gives a document its number where the caller leaves that to us, and takes it back from one that is not stored. */
import type { CompanyRow } from "../../../companies";
import { type InvoiceRequest, needsSequenceExpiry, planEcf, toEcfType } from "../../../ecf/mapping";
import { Problem } from "../../../platform/problem";
import type { HeldNumber, Numbering } from "../../sequences";
import type { CheckedInvoice } from "../check/check-tenant";

/** As `encf`: the next number of the tenant's sequences. */
export const AUTO = "auto";

/** The last day of the sequence that a document's number belongs to; the issuer's day for one whose number is not taken yet, which is of no sequence that has expired. */
export async function findExpiry(
	numbering: Pick<Numbering, "findExpiry">,
	tenantId: string,
	invoice: InvoiceRequest,
	today: string,
): Promise<string | undefined> {
	const { type, encf } = invoice;
	const isAsked = encf !== AUTO && needsSequenceExpiry(toEcfType(type));
	return expiryOf(invoice, isAsked ? await numbering.findExpiry({ tenantId, encf }) : undefined, today);
}

/** The same where the sequence has been looked up already. */
export function expiryOf({ type, encf }: InvoiceRequest, found: string | undefined, today: string): string | undefined {
	if (!needsSequenceExpiry(toEcfType(type))) return undefined;
	return encf === AUTO ? today : found;
}

/** How often another number is taken when one was lost to somebody else. */
const ATTEMPTS = 5;

/** Throws: validation-error when the company numbers its documents itself. */
export function refuseAutoNumber(invoice: InvoiceRequest, company: Pick<CompanyRow, "settings">): void {
	if (invoice.encf !== AUTO || company.settings.sequenceMode === "service") return;
	const detail = 'The company numbers its documents itself: send the number, or set `sequenceMode` to "service".';
	throw new Problem("validation-error", { faults: [{ pointer: "/encf", code: "auto-not-enabled", detail }] });
}

/**
 * The invoice under the number by which it is checked. Before a number is taken it is the first of its type: what the checks say of a
 * document they say under any number, and a refused document must not take one.
 */
export function withStandIn(invoice: InvoiceRequest): InvoiceRequest {
	return invoice.encf === AUTO ? { ...invoice, encf: `E${invoice.type}0000000001` } : invoice;
}

/** A checked document under its own number. */
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

/**
 * Takes a number and does the work with it, again with another one when it was lost meanwhile. What ends otherwise
 * than with the kind `new` has stored no document, and gives its number back. Throws: sequence-exhausted, service-unavailable, whatever `work` throws.
 */
export async function withNumber<Done extends { readonly kind: string }>(
	numbering: Numbering,
	request: { readonly tenantId: string; readonly type: string; readonly place: string },
	work: (held: HeldNumber) => Promise<Done | "number-lost">,
): Promise<Done> {
	for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
		const held = await numbering.take(request);
		let isStored = false;
		try {
			const done = await work(held);
			if (done === "number-lost") continue;
			isStored = done.kind === "new";
			return done;
		} finally {
			if (!isStored) await giveBackQuietly(numbering, request, held.holdId);
		}
	}
	throw new Problem("service-unavailable", { headers: { "retry-after": "1" } });
}

/** What cannot be given back now comes back when the hold ends. */
export async function giveBackQuietly(
	numbering: Pick<Numbering, "giveBack">,
	key: { readonly tenantId: string; readonly type: string },
	holdId: string,
): Promise<void> {
	await numbering.giveBack(key, holdId).catch(() => undefined);
}
