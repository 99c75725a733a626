/**
 * What the paper says of the document's standing, in the authority's words where it has any.
 *
 * Gap: a document without a verdict says where its validity can be looked up and when; that it was issued in contingency is added when the authority
 * could not be reached. A rejected document, and one that never reached the authority, is printed all the same, saying that it has no fiscal
 * value: who issued it has to see what was refused. Papers of the free tests and the sandboxes say so; those of certification do not,
 * because the authority looks at them as at papers of production.
 *
 * Source: the authority's illustrative models of the printed representation, contingency; its technical report.
 */

/** Where the document stands. `contingency`: without a verdict, since the authority could not be reached. */
export type Standing = "accepted" | "pending" | "contingency" | "rejected" | "failed";

/** What is said of a document without a verdict, on paper and elsewhere. */
export const VALIDITY_LEGEND = "Consulte su validez después de 72 horas";

const LEGENDS: Readonly<Record<Standing, readonly string[]>> = {
	accepted: [],
	pending: [VALIDITY_LEGEND],
	contingency: ["Emitido en modalidad de contingencia", VALIDITY_LEGEND],
	rejected: ["Rechazado por la Administración Tributaria: sin valor fiscal"],
	failed: ["No recibido por la Administración Tributaria: sin valor fiscal"],
};

export function legendsFor(standing: Standing, isTest: boolean): readonly string[] {
	return [...LEGENDS[standing], ...(isTest ? ["Documento de prueba: sin valor fiscal"] : [])];
}
