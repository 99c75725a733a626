/** The document that tells the authority of numbers that will never be used. Source: the authority's ANECF format, version 1.0. */
import { type SignatureProfile, type SigningIdentity, signXml, verifyOwnSignature } from "../../ecf/signing";
import { toAuthorityDateTime } from "../../platform/values";
import { type NumberRange, toEncf } from "./number-ranges";

export type VoidContent = {
	readonly rnc: string;
	readonly type: string;
	readonly range: NumberRange;
	readonly signedAt: Date;
};

/** The unsigned document in canonical form: one range on one line. Everything in it is digits, so nothing needs escaping. */
function writeAnecf({ rnc, type, range, signedAt }: VoidContent): string {
	const count = range.last - range.first + 1;
	return (
		`<ANECF><Encabezado><Version>1.0</Version><RncEmisor>${rnc}</RncEmisor>` +
		`<CantidadeNCFAnulados>${count}</CantidadeNCFAnulados>` +
		`<FechaHoraAnulacioneNCF>${toAuthorityDateTime(signedAt)}</FechaHoraAnulacioneNCF></Encabezado>` +
		`<DetalleAnulacion><Anulacion><NoLinea>1</NoLinea><TipoeCF>${type}</TipoeCF>` +
		`<TablaRangoSecuenciasAnuladaseNCF><Secuencias>` +
		`<SecuenciaeNCFDesde>${toEncf(type, range.first)}</SecuenciaeNCFDesde>` +
		`<SecuenciaeNCFHasta>${toEncf(type, range.last)}</SecuenciaeNCFHasta>` +
		`</Secuencias></TablaRangoSecuenciasAnuladaseNCF>` +
		`<CantidadeNCFAnulados>${count}</CantidadeNCFAnulados></Anulacion></DetalleAnulacion></ANECF>`
	);
}

/** The bytes to send, checked. Throws: SelfCheckError. */
export function signAnecf(content: VoidContent, identity: SigningIdentity, profile: SignatureProfile): Uint8Array {
	const signed = signXml(writeAnecf(content), identity, { profile, signedAt: content.signedAt });
	verifyOwnSignature(signed, identity);
	return signed;
}
