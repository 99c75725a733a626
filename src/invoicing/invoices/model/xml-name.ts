import { fileNameOf } from "../../../authority/client";

const ISSUER = /<RNCEmisor>(\d{9}|\d{11})</;
/** The issuer stands in the head; of ten thousand lines nothing need be read. */
const HEAD_BYTES = 4_096;

/** The authority's name for the file of a document that we have signed. Source: its description of its services, file names. */
export function xmlNameOf(signedXml: Uint8Array, encf: string): string {
	const [, rnc] = ISSUER.exec(Buffer.from(signedXml.subarray(0, HEAD_BYTES)).toString("latin1")) ?? [];
	if (rnc === undefined) throw new Error(`the signed document ${encf} names no issuer`);
	return fileNameOf(rnc, encf);
}
