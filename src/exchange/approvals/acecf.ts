/** The document in which a buyer tells its word on an e-CF. Source: the authority's ACECF format, version 1.0. */
import { type SignatureProfile, type SigningIdentity, signXml, verifyOwnSignature } from "../../ecf/signing";
import { Decimal, isoToAuthorityDate, toAuthorityDateTime } from "../../platform/values";
import { toCanonicalText } from "../../platform/xml";
import type { Decision } from "./approval";

export type AcecfContent = {
	readonly issuerRnc: string;
	readonly buyerRnc: string;
	readonly encf: string;
	/** `YYYY-MM-DD`, as the e-CF has it. */
	readonly issueDate: string;
	/** As the e-CF has it; written with exactly two decimals. */
	readonly total: string;
	readonly decision: Decision;
	readonly reason: string | null;
	readonly decidedAt: Date;
};

/** The authority's code of a word. */
export const STATES: Readonly<Record<Decision, string>> = { approved: "1", rejected: "2" };

/** The unsigned document in canonical form. */
export function writeAcecf(of: AcecfContent): string {
	const leaf = (name: string, text: string) => `<${name}>${toCanonicalText(text)}</${name}>`;
	return [
		"<ACECF><DetalleAprobacionComercial><Version>1.0</Version>",
		leaf("RNCEmisor", of.issuerRnc),
		leaf("eNCF", of.encf),
		leaf("FechaEmision", isoToAuthorityDate(of.issueDate)),
		leaf("MontoTotal", Decimal.of(of.total).toFixed(2)),
		leaf("RNCComprador", of.buyerRnc),
		leaf("Estado", STATES[of.decision]),
		of.reason === null ? "" : leaf("DetalleMotivoRechazo", of.reason),
		leaf("FechaHoraAprobacionComercial", toAuthorityDateTime(of.decidedAt)),
		"</DetalleAprobacionComercial></ACECF>",
	].join("");
}

/** The bytes to send, checked. Throws: SelfCheckError. */
export function signAcecf(
	content: AcecfContent,
	identity: SigningIdentity,
	options: { readonly profile: SignatureProfile; readonly signedAt: Date },
): Uint8Array {
	const signed = signXml(writeAcecf(content), identity, options);
	verifyOwnSignature(signed, identity);
	return signed;
}
