/** The JSON documents of an evidence file. */
import {
	aCount,
	aCountOrNull,
	aDigest,
	aForm,
	aListOf,
	anInstant,
	aText,
	aTextOrNull,
	aUuid,
	members,
	parseJsonBytes,
	readMembers,
	toRecord,
} from "./members";

/** What the sealed object says of itself. */
export type Manifest = ReturnType<typeof readManifest>;
/** Where the sealed object stands in its tenant's chain and in the archive's tree. */
export type Proof = ReturnType<typeof readProof>;
/** What the service has signed about the document. */
export type Receipt = ReturnType<typeof readReceipt>;

const ANSWER = {
	entry: aText,
	at: anInstant,
	operation: aText,
	httpStatus: aCountOrNull,
	mediaType: aTextOrNull,
};

/** Throws: Refusal. */
export function readManifest(bytes: Uint8Array, file: string) {
	const shape = {
		...{ format: aForm(/^sello-sealed-document\/1$/), docId: aUuid, tenantId: aUuid, environment: aText },
		...{ encf: aText, type: aText, status: aText, decidedAt: anInstant, retainUntil: anInstant },
		answers: aListOf(members(ANSWER)),
		sha256: (value: unknown) => {
			const digests = toRecord(value);
			return digests && Object.values(digests).every((one) => aDigest(one))
				? (digests as Record<string, string>)
				: undefined;
		},
	};
	return readMembers(parseJsonBytes(bytes, file), shape, file);
}

/** Throws: Refusal. */
export function readProof(bytes: Uint8Array, file: string) {
	const shape = {
		...{ format: aForm(/^sello-proof\/1$/), docId: aUuid, tenantId: aUuid, sha256: aDigest, decidedAt: anInstant },
		...{ leafIndex: aCount, leafHash: aDigest, checkpoint: aText, key: aText },
		chain: members({ index: aCount, previous: aDigest, hash: aDigest }),
		inclusion: members({ treeSize: aCount, root: aDigest, hashes: aListOf(aDigest) }),
	};
	return readMembers(parseJsonBytes(bytes, file), shape, file);
}

/** The payload of the receipt's signature. Throws: Refusal. */
export function readReceipt(bytes: Uint8Array, file: string) {
	const shape = {
		...{ format: aForm(/^sello-receipt\/1$/), docId: aUuid, tenantId: aUuid, encf: aText, type: aText, status: aText },
		...{ sha256: aDigest, bytes: aCount, decidedAt: anInstant, archivedAt: anInstant, retainUntil: anInstant },
		...{ leafIndex: aCount, chainHash: aDigest, treeSize: aCount, root: aDigest, issuedAt: anInstant },
	};
	return readMembers(parseJsonBytes(bytes, file), shape, file);
}
