/**
 * The evidence of one archived document, as one ZIP that can be verified without the service.
 *
 *   README.txt        how to verify it, in Spanish and English
 *   sealed.zip        the sealed object, byte for byte
 *   document/…        its parts
 *   certificate.pem   the signer's
 *   proof.json        inclusion in the archive's tree, and the signed checkpoint
 *   receipt.json      the archive's signed statement about the document
 *
 * The same object, checkpoint and date of retention always give the same bytes.
 */

import { strToU8 } from "fflate";
import type { Sql } from "../../platform/database";
import type { CheckpointRow, Checkpoints, Receipt } from "../checkpoints";
import { type Manifest, openSealed, SealedObjectError, toZip } from "../documents/seal";
import type { ArchivedObject } from "../documents/store";
import { type Archive, ObjectMissingError } from "../object-store/archive";
import { type DocumentProof, proveDocument } from "./document-proof";

type Packing = {
	readonly sql: Sql;
	readonly archive: Archive;
	readonly checkpoints: Pick<Checkpoints, "signReceipt">;
};

/** The store does not return what the index says was written. */
export class EvidenceLostError extends Error {
	constructor(
		readonly docId: string,
		readonly objectKey: string,
		readonly fault: "missing" | "changed" | "unreadable",
		cause?: unknown,
	) {
		super(
			`the archived object ${objectKey} of document ${docId} is ${fault}: verify the archive and restore it from a copy`,
			{
				cause,
			},
		);
		this.name = "EvidenceLostError";
	}
}

/** Throws: EvidenceLostError, ArchiveContradictionError. */
export async function packEvidence(
	deps: Packing,
	object: ArchivedObject,
	checkpoint: CheckpointRow,
): Promise<Uint8Array> {
	const sealed = await readSealed(deps.archive, object);
	const parts = openParts(object, sealed);
	const ecf = parts["ecf.xml"];
	if (!ecf) throw new EvidenceLostError(object.docId, object.objectKey, "changed");
	const proof = await proveDocument(deps.sql, object, checkpoint);
	const receipt = await signReceipt(deps, { object, checkpoint, proof, manifest: readManifest(parts) });
	return toZip([
		["README.txt", strToU8(README)],
		["sealed.zip", sealed],
		...Object.entries(parts).map(([name, bytes]): [string, Uint8Array] => [`document/${name}`, bytes]),
		["certificate.pem", strToU8(certificateOf(ecf))],
		["proof.json", toJson(proof)],
		["receipt.json", toJson(receipt)],
	]);
}

async function readSealed(archive: Archive, { docId, objectKey, sha256, versionId }: ArchivedObject) {
	const bytes = await archive.get(objectKey, versionId).catch((error: unknown) => {
		const fault = error instanceof ObjectMissingError ? "missing" : "unreadable";
		throw new EvidenceLostError(docId, objectKey, fault, error);
	});
	const read = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
	if (read !== sha256) throw new EvidenceLostError(docId, objectKey, "changed");
	return bytes;
}

function openParts({ docId, objectKey }: ArchivedObject, sealed: Uint8Array): Readonly<Record<string, Uint8Array>> {
	try {
		return openSealed(sealed);
	} catch (error) {
		throw error instanceof SealedObjectError ? new EvidenceLostError(docId, objectKey, "changed", error) : error;
	}
}

function readManifest(parts: Readonly<Record<string, Uint8Array>>): Pick<Manifest, "encf" | "type" | "status"> {
	return JSON.parse(new TextDecoder().decode(parts["manifest.json"])) as Manifest;
}

/** Dated as of the checkpoint, so a repeated request gets the same receipt. */
function signReceipt(
	{ checkpoints }: Packing,
	about: {
		readonly object: ArchivedObject;
		readonly checkpoint: CheckpointRow;
		readonly proof: DocumentProof;
		readonly manifest: Pick<Manifest, "encf" | "type" | "status">;
	},
): Promise<Receipt> {
	const { object, checkpoint, proof, manifest } = about;
	const { docId, tenantId, sha256, bytes, log, leafIndex } = object;
	return checkpoints.signReceipt(checkpoint.keyName, {
		format: "sello-receipt/2",
		...{ docId, tenantId },
		...{ encf: manifest.encf, type: manifest.type, status: manifest.status },
		...{ sha256, bytes },
		decidedAt: object.decidedAt.toISOString(),
		archivedAt: object.archivedAt.toISOString(),
		retainUntil: object.retainUntil.toISOString(),
		...{ log, leafIndex },
		chainHash: proof.chain.hash,
		...{ treeSize: proof.inclusion.treeSize, root: proof.inclusion.root },
		issuedAt: checkpoint.madeAt.toISOString(),
	});
}

function toJson(value: unknown): Uint8Array {
	return strToU8(`${JSON.stringify(value, undefined, "\t")}\n`);
}

/** The signer's certificate out of a signed document of ours. */

/** Matches our own signed documents: they have no comments and no CDATA, and escape every `<` of a caller's text. */
const CERTIFICATE = /<(?:[A-Za-z]+:)?X509Certificate>([A-Za-z0-9+/=\s]+)</;

/** The signer's certificate as PEM. Throws an Error for a document without one. */
function certificateOf(xml: Uint8Array): string {
	const [, found] = CERTIFICATE.exec(new TextDecoder().decode(xml)) ?? [];
	if (found === undefined) throw new Error("the signed document holds no certificate");
	const lines = found.replace(/\s+/g, "").match(/.{1,64}/g) ?? [];
	return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

/** README.txt of every evidence file. */
export const README = `EVIDENCIA DE UN DOCUMENTO ARCHIVADO

  document/         el documento: e-CF firmado (ecf.xml), resumen si lo hay (summary.xml), solicitud, respuestas de la
                    autoridad tal como llegaron, historia, y un manifiesto con el SHA-256 de cada parte; si se conoce,
                    lo que decía el registro de contribuyentes del emisor y del comprador al recibirlo (registry.json)
  sealed.zip        lo mismo en un solo objeto, byte por byte como se guarda en el archivo de escritura única
  certificate.pem   el certificado de quien firmó, tomado de ecf.xml
  proof.json        la prueba de que sealed.zip está en un registro del archivo, y el punto de control firmado de sus 64 registros
  receipt.json      el recibo del archivo, firmado con la misma clave (JWS, EdDSA)

Cómo verificarlo sin conexión: abra este ZIP en la página del verificador (un solo archivo HTML, que el servicio da en
/docs/verify), o ejecute "bun run verify ARCHIVO.zip" en una copia del programa. A mano:

  1. sha256sum sealed.zip            debe dar "sha256" de proof.json
  2. unzip sealed.zip                cada parte debe dar el SHA-256 que dice manifest.json
  3. SHA-256 de 0x00, docId (16 bytes), sha256 (32) y decidedAt (milisegundos desde 1970, 8 bytes) debe dar "leafHash"
  4. "leafHash" con "inclusion.hashes" debe dar "inclusion.root", la raíz del registro "log" (RFC 6962, 2.1.1)
  5. SHA-256 de 0x00, "log" y "inclusion.treeSize" (8 bytes cada uno) e "inclusion.root" (32), con "logs.hashes", debe dar
     "logs.root", la raíz del punto de control: la hoja "log" de 64
  6. la firma del punto de control (c2sp.org/signed-note) y la del recibo deben valer con "key"
  7. la firma de ecf.xml (XAdES) debe valer con su certificado:
     xmlsec1 --verify --enabled-reference-uris empty,same-doc --id-attr:Id SignedProperties --pubkey-cert-pem certificate.pem document/ecf.xml

Qué prueba y qué no: el documento no ha cambiado desde que se firmó el punto de control, siempre que "key" sea la clave
del archivo. Compárela, y el punto de control, con /v1/archive/checkpoints o con una copia que otro haya guardado.


EVIDENCE OF AN ARCHIVED DOCUMENT

  document/         the document: signed e-CF (ecf.xml), its summary if it has one (summary.xml), the request, the
                    authority's answers as received, the history, and a manifest with the SHA-256 of each part; where it
                    is known, what the taxpayer registry held of issuer and buyer at the intake (registry.json)
  sealed.zip        the same as one object, byte for byte as it is kept in the write-once archive
  certificate.pem   the signer's certificate, taken from ecf.xml
  proof.json        the proof that sealed.zip is in a log of the archive, and the signed checkpoint of its 64 logs
  receipt.json      the archive's receipt, signed with the same key (JWS, EdDSA)

To verify it offline: open this ZIP in the verifier's page (a single HTML file, which the service provides at
/docs/verify), or run "bun run verify FILE.zip" in a copy of the program. By hand:

  1. sha256sum sealed.zip            must give "sha256" of proof.json
  2. unzip sealed.zip                each part must have the SHA-256 in manifest.json
  3. SHA-256 of 0x00, docId (16 bytes), sha256 (32) and decidedAt (milliseconds since 1970, 8 bytes) must give "leafHash"
  4. "leafHash" with "inclusion.hashes" must give "inclusion.root", the root of the log "log" (RFC 6962, 2.1.1)
  5. SHA-256 of 0x00, "log" and "inclusion.treeSize" (8 bytes each) and "inclusion.root" (32), with "logs.hashes", must
     give "logs.root", the root of the checkpoint: leaf "log" of 64
  6. the signatures of the checkpoint (c2sp.org/signed-note) and of the receipt must hold with "key"
  7. the signature of ecf.xml (XAdES) must hold with its certificate:
     xmlsec1 --verify --enabled-reference-uris empty,same-doc --id-attr:Id SignedProperties --pubkey-cert-pem certificate.pem document/ecf.xml

What it proves: the document has not changed since the checkpoint was signed, provided that "key" is the archive's.
Compare the key and the checkpoint with /v1/archive/checkpoints or with a copy that another person has kept.
`;
