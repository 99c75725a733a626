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
export { openArchive } from "./open-archive";
export { readArchive } from "./read-archive";
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
