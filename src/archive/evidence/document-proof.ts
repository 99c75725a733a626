/** The proof that a document's sealed object is in the archive's tree, in a form that needs no service to check. */

import { type Static, Type } from "@sinclair/typebox";
import type { Sql } from "../../platform/database";
import { toHex } from "../../platform/values";
import {
	ArchiveContradictionError,
	type CheckpointRow,
	findKeys,
	findLeafPlace,
	type LeafPlace,
	toVerifierKey,
} from "../checkpoints";
import type { ArchivedObject } from "../documents/store";
import { encodeLeaf, hashLeaf, NO_LINK, nextLink, readInclusionProof, verifyInclusion } from "../merkle";

const Digest = (description: string) => Type.String({ description: `${description} Hex.` });

export const DocumentProof = Type.Object(
	{
		format: Type.Literal("sello-proof/1"),
		docId: Type.String(),
		tenantId: Type.String(),
		sha256: Digest("SHA-256 of the sealed object."),
		decidedAt: Type.String(),
		leafIndex: Type.Integer({ description: "Index of the leaf in the archive's tree, from 0." }),
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
				root: Digest("The tree's root at that size."),
				hashes: Type.Array(Type.String(), { description: "From the leaf's sibling up. Hex." }),
			},
			{ description: "Source: RFC 6962, 2.1.1." },
		),
		checkpoint: Type.String({ description: "The signed note with the root. Source: c2sp.org/tlog-checkpoint." }),
		key: Type.String({ description: "Verifier key of the note. Source: c2sp.org/signed-note." }),
	},
	{ $id: "DocumentProof" },
);
export type DocumentProof = Static<typeof DocumentProof>;

/** Proves that an object is in the tree of a checkpoint that covers it. Throws ArchiveContradictionError instead of returning a false proof. */
export async function proveDocument(
	sql: Sql,
	object: ArchivedObject,
	checkpoint: CheckpointRow,
): Promise<DocumentProof> {
	const { docId, tenantId, sha256, leafIndex } = object;
	const [place, hashes, keys] = await Promise.all([
		findLeafPlace(sql, leafIndex),
		readInclusionProof(sql, leafIndex, checkpoint.size),
		findKeys(sql),
	]);
	const key = keys.find(({ name }) => name === checkpoint.keyName);
	if (!place || !key) throw new Error(`leaf ${leafIndex} or the key of checkpoint ${checkpoint.number} is missing`);
	checkProof(object, { checkpoint, place, hashes });
	return {
		format: "sello-proof/1",
		...{ docId, tenantId, sha256 },
		decidedAt: object.decidedAt.toISOString(),
		leafIndex,
		leafHash: place.leafHash,
		chain: { index: place.chainIndex, previous: place.previous ?? toHex(NO_LINK), hash: place.chainHash },
		inclusion: {
			treeSize: checkpoint.size,
			root: checkpoint.root,
			hashes: hashes.map(toHex),
		},
		checkpoint: checkpoint.note,
		key: toVerifierKey(key),
	};
}

function checkProof(
	object: ArchivedObject,
	{ checkpoint, place, hashes }: { checkpoint: CheckpointRow; place: LeafPlace; hashes: readonly Uint8Array[] },
): void {
	const { docId, decidedAt, leafIndex } = object;
	const parts = { docId, sha256: Buffer.from(object.sha256, "hex"), decidedAt };
	const leafHash = hashLeaf(encodeLeaf(parts));
	const link = nextLink(place.previous === null ? NO_LINK : Buffer.from(place.previous, "hex"), parts);
	const root = Buffer.from(checkpoint.root, "hex");
	const isIncluded = verifyInclusion({ leafHash, leafIndex, treeSize: checkpoint.size, proof: hashes, root });
	if (!isIncluded || toHex(leafHash) !== place.leafHash || toHex(link) !== place.chainHash)
		throw new ArchiveContradictionError(`leaf ${leafIndex} is not in the tree of checkpoint ${checkpoint.number}`);
}
