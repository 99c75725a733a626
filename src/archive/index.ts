/** Ten years, write once: decided documents as sealed objects, and the index of them. */
export {
	type Archive,
	ArchiveConflictError,
	type ObjectFault,
	ObjectMissingError,
	type PutResult,
	type StoredObject,
} from "./archive";
export {
	ArchiveContradictionError,
	type CheckpointRow,
	type CheckpointStatus,
	type Checkpoints,
	openCheckpoints,
	type Receipt,
	rotateKey,
	startCheckpoints,
} from "./checkpoints";
export { type ArchiveEraser, openArchiveEraser } from "./erase";
export { DocumentProof, EvidenceLostError, packEvidence, proveDocument } from "./evidence";
export {
	consistencyProof,
	encodeLeaf,
	growTree,
	hashChildren,
	hashLeaf,
	inclusionProof,
	isSameHash,
	type LeafParts,
	NO_LINK,
	nextLink,
	readConsistencyProof,
	readInclusionProof,
	readRoot,
	readTreeSize,
	rootOf,
	verifyConsistency,
	verifyInclusion,
} from "./merkle";
export { openArchive } from "./open-archive";
export { archiveOperations } from "./routes";
export { type Manifest, openSealed, SealedObjectError, type SealParts, sealDocument } from "./seal";
export {
	type ArchivedObject,
	type ArchiveObject,
	getArchiveObject,
	insertArchiveObjects,
	listArchiveObjects,
} from "./store";
export { type ArchiveReport, verifyArchive } from "./verify-archive";
export { toZip } from "./zip";
