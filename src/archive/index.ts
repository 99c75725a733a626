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
	placeOfArchiveKey,
	type Receipt,
	type RotatedKey,
	rotateKey,
	startCheckpoints,
} from "./checkpoints";
export { type ArchiveEraser, openArchiveEraser } from "./erase";
export { DocumentProof, EvidenceLostError, packEvidence, proveDocument } from "./evidence";
export {
	createMakeExport,
	EXPORT_KIND,
	type ExportRouteDeps,
	type ExportSweepDeps,
	exportOperations,
	startExportSweeps,
	sweepExports,
} from "./exports";
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
export { RestoreRefusedError } from "./restore/refused";
export { type RestoreReport, restoreArchive } from "./restore/restore-archive";
export {
	type ArchiveSweep,
	type ArchiveSweepDeps,
	type Extension,
	extendRetention,
	startArchiveSweeps,
	sweepArchive,
} from "./retention";
export { checkpointOperations } from "./routes";
export { type ArchiveListDeps, archiveListOperation } from "./routes-list";
export { type Manifest, openSealed, readManifest, SealedObjectError, type SealParts, sealDocument } from "./seal";
export {
	type ArchivedObject,
	type ArchiveObject,
	getArchiveObject,
	insertArchiveObjects,
	isArchiveObjectRemoved,
} from "./store";
export type { ArchiveFault, FaultKind } from "./verify/fault";
export { type ArchiveReport, type VerifyProgress, verifyArchive } from "./verify/verify-archive";
export { toZip } from "./zip";
