/** Signed checkpoints of the archive's tree, the keys that sign them, and their objects in the store. */

export { type Checkpoints, createCheckpoints, type Receipt, startCheckpoints } from "./checkpoints";
export { archiveKeyContext, originOf } from "./keys";
export { type LeafLine, readLines } from "./leaf-lines";
export { readLogs, rootOver, type SignedLog, sizeOfLogs, writeLogs } from "./log-list";
export { hashNote, makeCheckpoint, rotateKey } from "./make-checkpoint";
export {
	ArchiveContradictionError,
	checkpointObject,
	checkpointOf,
	keyObject,
	type LeavesPlace,
	leavesOf,
	logsObject,
} from "./proof-objects";
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
	type ChainPlace,
	type CheckpointRow,
	findChainPlace,
	findCheckpoints,
	findCovering,
	findKeys,
	findLeaves,
	findLog,
	findNewestCheckpoint,
	insertCheckpoint,
	insertKey,
	type KeyRow,
	type LeafAt,
	type LeafRow,
	lockCheckpoints,
} from "./store";
