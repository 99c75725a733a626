/** The acknowledgement that a receiver answers with. Source: the authority's ARECF format, version 1.0. */
import { toAuthorityDateTime } from "../../platform/values";

/** Whose document is acknowledged: by these three the sender knows it. */
export type DocumentNames = { readonly issuerRnc: string; readonly buyerRnc: string; readonly encf: string };

/** Why a document was not received: 1 specification, 2 signature, 3 duplicate, 4 another buyer. */
export type Motive = 1 | 2 | 3 | 4;

/** The unsigned document in canonical form; without a motive it says that the document was received. Everything in it is digits. */
export function writeArecf(names: DocumentNames, motive: Motive | undefined, at: Date): string {
	const { issuerRnc, buyerRnc, encf } = names;
	const state =
		motive === undefined
			? "<Estado>0</Estado>"
			: `<Estado>1</Estado><CodigoMotivoNoRecibido>${motive}</CodigoMotivoNoRecibido>`;
	return (
		`<ARECF><DetalleAcusedeRecibo><Version>1.0</Version><RNCEmisor>${issuerRnc}</RNCEmisor>` +
		`<RNCComprador>${buyerRnc}</RNCComprador><eNCF>${encf}</eNCF>${state}` +
		`<FechaHoraAcuseRecibo>${toAuthorityDateTime(at)}</FechaHoraAcuseRecibo></DetalleAcusedeRecibo></ARECF>`
	);
}
