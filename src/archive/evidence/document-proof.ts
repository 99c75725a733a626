/** The proof that a document's sealed object is in the archive's trees, in a form that needs no service to check. */

import { type Static, Type } from "@sinclair/typebox";
import type { Sql } from "../../platform/database";
import { toHex } from "../../platform/values";
import {
	ArchiveContradictionError,
	type ChainPlace,
	type CheckpointRow,
	findChainPlace,
	findKeys,
	rootOver,
	type SignedLog,
	toVerifierKey,
} from "../checkpoints";
import type { ArchivedObject } from "../documents/store";
import { encodeLeaf, hashLeaf, NO_LINK, nextLink, pathOfLog, readInclusionProof, verifyInclusion } from "../merkle";

const Digest = (description: string) => Type.String({ description: `${description} Hex.` });

export const DocumentProof = Type.Object(
	{
		format: Type.Literal("sello-proof/2"),
		docId: Type.String(),
		tenantId: Type.String(),
		sha256: Digest("SHA-256 of the sealed object."),
		decidedAt: Type.String(),
		log: Type.Integer({ description: "The archive's log with the company's documents, 0 to 63." }),
		leafIndex: Type.Integer({ description: "Index of the leaf in the log, from 0." }),
		leafHash: Digest(
			"SHA-256 of 0x00, the docId (16 bytes), `sha256` and `decidedAt` (milliseconds since 1970, 8 bytes).",
		),
		chain: Type.Object({
			index: Type.Integer({ description: "Index of the link in the company's chain, from 0." }),
			previous: Digest("The previous link; zeros before the first."),
			hash: Digest("SHA-256 of `previous`, `sha256`, the docId and `decidedAt`."),
		}),
		inclusion: Type.Object(
			{
				treeSize: Type.Integer(),
				root: Digest("The log's root at that size."),
				hashes: Type.Array(Type.String(), { description: "From the leaf's sibling up. Hex." }),
			},
			{ description: "The leaf in its log. Source: RFC 6962, 2.1.1." },
		),
		logs: Type.Object(
			{
				root: Digest("The root over all logs, which is the checkpoint's."),
				hashes: Type.Array(Type.String(), { description: "From the sibling of the log's leaf up. Hex." }),
			},
			{
				description:
					"The log among the 64 logs. The log's leaf is SHA-256 of 0x00, `log` and `treeSize` (8 bytes each), and the log's `root`.",
			},
		),
		checkpoint: Type.String({ description: "The signed note with the root. Source: c2sp.org/tlog-checkpoint." }),
		key: Type.String({ description: "Verifier key of the note. Source: c2sp.org/signed-note." }),
	},
	{ $id: "DocumentProof" },
);
export type DocumentProof = Static<typeof DocumentProof>;

/** Proves that an object is under a checkpoint that covers it. Throws ArchiveContradictionError instead of returning a false proof. */
export async function proveDocument(
	sql: Sql,
	object: ArchivedObject,
	checkpoint: CheckpointRow,
): Promise<DocumentProof> {
	const { docId, tenantId, sha256, log, leafIndex } = object;
	const signed = checkpoint.logs[log];
	if (!signed) throw new Error(`checkpoint ${checkpoint.number} has no log ${log}`);
	const [place, hashes, keys] = await Promise.all([
		findChainPlace(sql, tenantId, object.chainIndex),
		readInclusionProof(sql, log, leafIndex, signed.size),
		findKeys(sql),
	]);
	const key = keys.find(({ name }) => name === checkpoint.keyName);
	if (!place || !key)
		throw new Error(`the link of document ${docId} or the key of checkpoint ${checkpoint.number} is missing`);
	const leafHash = checkProof(object, { checkpoint, signed, place, hashes });
	const states = checkpoint.logs.map(({ size, root }) => ({ size, root: Buffer.from(root, "hex") }));
	return {
		format: "sello-proof/2",
		...{ docId, tenantId, sha256 },
		decidedAt: object.decidedAt.toISOString(),
		...{ log, leafIndex, leafHash },
		chain: { index: object.chainIndex, previous: place.previous ?? toHex(NO_LINK), hash: place.chainHash },
		inclusion: { treeSize: signed.size, root: signed.root, hashes: hashes.map(toHex) },
		logs: { root: checkpoint.root, hashes: pathOfLog(states, log).map(toHex) },
		checkpoint: checkpoint.note,
		key: toVerifierKey(key),
	};
}

/** The leaf's hash. Throws: ArchiveContradictionError. */
function checkProof(
	object: ArchivedObject,
	proof: { checkpoint: CheckpointRow; signed: SignedLog; place: ChainPlace; hashes: readonly Uint8Array[] },
): string {
	const { docId, decidedAt, leafIndex } = object;
	const { checkpoint, signed, place, hashes } = proof;
	const parts = { docId, sha256: Buffer.from(object.sha256, "hex"), decidedAt };
	const leafHash = hashLeaf(encodeLeaf(parts));
	const link = nextLink(place.previous === null ? NO_LINK : Buffer.from(place.previous, "hex"), parts);
	const root = Buffer.from(signed.root, "hex");
	const isIncluded = verifyInclusion({ leafHash, leafIndex, treeSize: signed.size, proof: hashes, root });
	if (!isIncluded || rootOver(checkpoint.logs) !== checkpoint.root || toHex(link) !== place.chainHash)
		throw new ArchiveContradictionError(
			`leaf ${leafIndex} of log ${object.log} is not under checkpoint ${checkpoint.number}`,
		);
	return toHex(leafHash);
}
