/** Ten years, write once: decided documents as sealed objects, and the index of them. */

export {
	ArchiveContradictionError,
	archiveKeyContext,
	type Checkpoints,
	checkpointOperations,
	createCheckpoints,
	rotateKey,
	startCheckpoints,
} from "./checkpoints";
export { createArchiveDocument, RETENTION_YEARS } from "./documents/archive-document";
export { createReadSealed, type ReadSealed, type SealedTexts } from "./documents/read-sealed";
export { archiveListOperation } from "./documents/routes";
export { openSealed, SealedObjectError, type SealParts, sealDocument, toZip } from "./documents/seal";
export {
	type ArchivedObject,
	type ArchiveObject,
	findArchived,
	findArchiveObjects,
	findTenantOf,
	getArchiveObject,
	insertArchiveObjects,
	isArchiveObjectRemoved,
	type NewObject,
} from "./documents/store";
export { checkStoreAtStart, ForeignStoreError, startStoreWatch } from "./documents/watch-store";
export { DocumentProof, EvidenceLostError, packEvidence, proveDocument } from "./evidence";
export {
	createMakeExport,
	type DocumentChoice,
	exportOperations,
	type InvoiceFiles,
	startExportSweeps,
	sweepExports,
} from "./exports";
export {
	createTree,
	encodeLeaf,
	hashLeaf,
	NO_LINK,
	nextLink,
	readConsistencyProof,
	readInclusionProof,
	readLogSizes,
	readRoot,
	rootOfLogs,
	verifyConsistency,
	verifyInclusion,
} from "./merkle";
export {
	type Archive,
	ArchiveConflictError,
	ObjectMissingError,
	type SharedFiles,
	sealedObjectKey,
	UnsafeBucketError,
} from "./object-store/archive";
export { type ArchiveEraser, createArchiveEraser, openArchive, openSharedFiles } from "./object-store/open-archive";
export { restoreArchive } from "./restore/restore-archive";
export { RestoreRefusedError } from "./restore/store";
export { extendRetention, startArchiveSweeps, sweepArchive } from "./retention";
export type { ArchiveFault } from "./verify/fault";
export { verificationOperations } from "./verify/routes";
export { type VerifyProgress, verifyArchive } from "./verify/verify-archive";
