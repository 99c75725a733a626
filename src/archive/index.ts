/** Ten years, write once: decided documents as sealed objects, and the index of them. */
export { type Archive, ArchiveConflictError, ObjectMissingError } from "./archive";
export {
	ArchiveContradictionError,
	type Checkpoints,
	openCheckpoints,
	placeOfArchiveKey,
	rotateKey,
	startCheckpoints,
} from "./checkpoints";
export { type ArchiveEraser, openArchiveEraser } from "./erase";
export { DocumentProof, EvidenceLostError, packEvidence, proveDocument } from "./evidence";
export { createMakeExport, exportOperations, startExportSweeps, sweepExports } from "./exports";
export { createKeepSealed, RETENTION_YEARS } from "./keep-sealed";
export {
	consistencyProof,
	encodeLeaf,
	growTree,
	hashLeaf,
	inclusionProof,
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
export { RestoreRefusedError } from "./restore/refused";
export { restoreArchive } from "./restore/restore-archive";
export { extendRetention, startArchiveSweeps, sweepArchive } from "./retention";
export { checkpointOperations } from "./routes";
export { archiveListOperation } from "./routes-list";
export { UnsafeBucketError } from "./s3/unsafe-bucket";
export { openSealed, SealedObjectError, type SealParts, sealDocument } from "./seal";
export {
	type ArchivedObject,
	type ArchiveObject,
	getArchiveObject,
	insertArchiveObjects,
	isArchiveObjectRemoved,
} from "./store";
export type { ArchiveFault } from "./verify/fault";
export { type VerifyProgress, verifyArchive } from "./verify/verify-archive";
export { startStoreWatch } from "./watch-store";
export { toZip } from "./zip";
