/**
 * The part of the validation that needs nothing but the document: from the file to a signed, well-structured e-CF.
 *
 *     file name → well-formed → no empty elements → structure → signature
 *
 * A file that cannot be read is refused at the door; from then on the document gets a verdict.
 */
import type { CertificateStore } from "../store/certificates";
import { type Ecf, toEcf } from "./ecf";
import { findEmptyElements } from "./empty-elements";
import { type FileNumber, readFileName } from "./file-name";
import { type Judgement, type Message, released } from "./judgement";
import { readDocument } from "./read-document";
import { verifySignature } from "./signature";
import { checkStructure, type Road } from "./structure";

export type Examination =
	| { readonly kind: "refused"; readonly message: Message; readonly file: FileNumber | undefined }
	| { readonly kind: "judged"; readonly judgement: Judgement; readonly file: FileNumber }
	| { readonly kind: "sound"; readonly ecf: Ecf; readonly thumbprint: string; readonly file: FileNumber };

export async function examine(
	upload: { fileName: string; bytes: Uint8Array },
	place: { road: Road; environment: string },
	certificates: CertificateStore,
	now: Date,
): Promise<Examination> {
	const file = readFileName(upload.fileName, place.environment);
	if ("code" in file) return { kind: "refused", message: file, file: undefined };
	const document = readDocument(upload.bytes);
	if (typeof document === "string") return { kind: "refused", message: { code: "0", text: document }, file };
	const empty = findEmptyElements(document.root);
	if (empty.length > 0) return { kind: "judged", judgement: released(...empty), file };
	const faults = checkStructure(document.root, place.road, file);
	if (faults.length > 0) return { kind: "judged", judgement: released(...faults), file };
	const signed = await verifySignature(document, certificates, now);
	if (typeof signed === "string") return { kind: "judged", judgement: released({ code: "0", text: signed }), file };
	const ecf = toEcf(document.root, place.road, signed.signatureValue);
	return { kind: "sound", ecf, thumbprint: signed.certificate.thumbprint, file };
}
