/**
 * All that proves one archived document, as one ZIP that is checked without us.
 *
 *   README.txt        what this is and how to verify it, in Spanish and English
 *   sealed.zip        the sealed object, byte for byte
 *   document/…        its parts
 *   certificate.pem   the signer's
 *   proof.json        inclusion in the archive's tree, and the signed checkpoint
 *   receipt.json      what the archive says of the document, signed
 *
 * The same object, checkpoint and date of retention always give the same bytes.
 */
import { strToU8 } from "fflate";
import type { Sql } from "../../platform/database";
import { type Archive, ObjectMissingError } from "../archive";
import type { CheckpointRow, Checkpoints, Receipt } from "../checkpoints";
import { type Manifest, openSealed, SealedObjectError } from "../seal";
import type { ArchivedObject } from "../store";
import { toZip } from "../zip";
import { certificateOf } from "./certificate";
import { type DocumentProof, proveDocument } from "./document-proof";
import { README } from "./readme";

export type EvidenceDeps = {
	readonly sql: Sql;
	readonly archive: Archive;
	readonly checkpoints: Pick<Checkpoints, "signReceipt">;
};

/** The store does not give back what the index says was written. */
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
	deps: EvidenceDeps,
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

/** Said as of the checkpoint, so that whoever asks again gets the same. */
function signReceipt(
	{ checkpoints }: EvidenceDeps,
	about: {
		readonly object: ArchivedObject;
		readonly checkpoint: CheckpointRow;
		readonly proof: DocumentProof;
		readonly manifest: Pick<Manifest, "encf" | "type" | "status">;
	},
): Promise<Receipt> {
	const { object, checkpoint, proof, manifest } = about;
	const { docId, tenantId, sha256, bytes, leafIndex } = object;
	return checkpoints.signReceipt(checkpoint.keyName, {
		format: "sello-receipt/1",
		...{ docId, tenantId },
		...{ encf: manifest.encf, type: manifest.type, status: manifest.status },
		...{ sha256, bytes },
		decidedAt: object.decidedAt.toISOString(),
		archivedAt: object.archivedAt.toISOString(),
		retainUntil: object.retainUntil.toISOString(),
		leafIndex,
		chainHash: proof.chain.hash,
		...{ treeSize: checkpoint.size, root: checkpoint.root },
		issuedAt: checkpoint.madeAt.toISOString(),
	});
}

function toJson(value: unknown): Uint8Array {
	return strToU8(`${JSON.stringify(value, undefined, "\t")}\n`);
}
