/** Signed checkpoints of the archive's tree, the keys that sign them, and their objects in the store. */

export { type Checkpoints, createCheckpoints, type Receipt, startCheckpoints } from "./checkpoints";
export { archiveKeyContext, originOf } from "./keys";
export { type LeafLine, readLines } from "./leaf-lines";
export { hashNote, makeCheckpoint, rotateKey } from "./make-checkpoint";
export { ArchiveContradictionError, checkpointObject, keyObject } from "./proof-objects";
export { checkpointOperations } from "./routes";
export {
	type CheckpointText,
	NOTHING_BEFORE,
	NoteError,
	type NoteKey,
	openNote,
	readCheckpoint,
	readVerifierKey,
	toVerifierKey,
} from "./signed-note";
export {
	type CheckpointRow,
	findCheckpoints,
	findKeys,
	findLeafPlace,
	findLeaves,
	findLog,
	insertCheckpoint,
	insertKey,
	insertLog,
	type KeyRow,
	type LeafPlace,
	lockCheckpoints,
} from "./store";
