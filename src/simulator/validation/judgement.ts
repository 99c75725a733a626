/** What the authority decides about a document. */

/** The `codigo` of a decided document: accepted, rejected, accepted conditionally. */
export type VerdictCode = 1 | 2 | 4;

export type Message = {
	/** The authority's number as printed in its lists; `0` when the text alone explains. */
	readonly code: string;
	readonly text: string;
};

export type Judgement = {
	readonly verdict: VerdictCode;
	/** True when the e-NCF can never be used again. */
	readonly sequenceConsumed: boolean;
	readonly messages: readonly Message[];
};

export const ACCEPTED: Judgement = { verdict: 1, sequenceConsumed: true, messages: [] };

/** A rejection that spends the number: duplicates, references, fields. */
export function rejected(...messages: Message[]): Judgement {
	return { verdict: 2, sequenceConsumed: true, messages };
}

/** A rejection that frees the number: structure, signature, delegation, expiry, the authority's own failure. */
export function released(...messages: Message[]): Judgement {
	return { verdict: 2, sequenceConsumed: false, messages };
}

export function conditional(...messages: Message[]): Judgement {
	return { verdict: 4, sequenceConsumed: true, messages };
}

/** The authority's message for an invalid field, with the line for a field of an item. */
export function invalidField(
	code: string,
	place: { field: string; area: string; section: string; line?: string },
): Message {
	if (place.line !== undefined) {
		const text = `El campo ${place.field} de la sección ${place.section} de la línea ${place.line} no es válido.`;
		return { code, text };
	}
	return { code, text: `El campo ${place.field} del área ${place.area} de la sección ${place.section} no es válido.` };
}

/** Issuer and number in a file name: `{RNCEmisor}{eNCF}.xml`. */
export type FileNumber = { readonly rnc: string; readonly encf: string };

/**
 * Reads the mandated file name; a message if it has another form.
 * Gap: in the test environment numbers of 11 and 12 characters, seen in the authority's older examples, pass too.
 */
export function readFileName(fileName: string, environment: string): FileNumber | Message {
	const digits = environment === "testecf" ? "[0-9]{10,12}" : "[0-9]{12}";
	const match = new RegExp(`^([0-9]{11}|[0-9]{9})(E${digits})\\.xml$`, "i").exec(fileName);
	const [, rnc, encf] = match ?? [];
	if (rnc === undefined || encf === undefined) {
		return { code: "3243", text: "La longitud del nombre del archivo no es válida." };
	}
	return { rnc, encf: encf.toUpperCase() };
}
