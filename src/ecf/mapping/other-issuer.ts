/** Whose the document is that an invoice refers to. */
import type { EcfInvoice } from "./ecf-input";

/**
 * Digits of the other taxpayer that issued it; undefined where it is the issuer's own. The member's name suggests the buyer, and the issuer itself may
 * stand there as well: either means a document of the issuer's own, since a merged company is neither.
 */
export function findOtherIssuer(
	{ reference, customer }: Pick<EcfInvoice, "reference" | "customer">,
	issuerRnc: string,
): string | undefined {
	const named = toDigits(reference?.customer_rnc);
	if (!named || named === toDigits(issuerRnc) || named === toDigits(customer?.rnc)) return undefined;
	return named;
}

function toDigits(rnc: string | undefined): string | undefined {
	return rnc?.replace(/\D/g, "");
}
