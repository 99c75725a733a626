/** Ten years, write once: decided documents as sealed objects, and the index of them. */
export {
	type Archive,
	ArchiveConflictError,
	type ObjectFault,
	ObjectMissingError,
	type PutResult,
	type StoredObject,
} from "./archive";
export { type ArchiveEraser, openArchiveEraser } from "./erase";
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
	rootOf,
	verifyConsistency,
	verifyInclusion,
} from "./merkle";
export { openArchive } from "./open-archive";
export { type Manifest, openSealed, SealedObjectError, type SealParts, sealDocument } from "./seal";
export {
	type ArchivedObject,
	type ArchiveObject,
	getArchiveObject,
	insertArchiveObjects,
	listArchiveObjects,
} from "./store";
export { readConsistencyProof, readInclusionProof, readRoot, readTreeSize } from "./tree-store";
export { type ArchiveReport, verifyArchive } from "./verify-archive";
export { toZip } from "./zip";
