import type { Message } from "./judgement";

/** Issuer and number as a file name tells them: `{RNCEmisor}{eNCF}.xml`. */
export type FileNumber = { readonly rnc: string; readonly encf: string };

/**
 * Reads the mandated file name; a message when it has another form.
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
