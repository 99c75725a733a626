/** Signed checkpoints of the archive's tree: what the archive has said of itself. */
export { NOTHING_BEFORE, readCheckpoint } from "./checkpoint-text";
export { ArchiveContradictionError } from "./contradiction";
export type { KeyDeps } from "./keys";
export { type LeafLine, readLines } from "./leaf-lines";
export { hashNote, makeCheckpoint } from "./make-checkpoint";
export { type CheckpointStatus, type Checkpoints, openCheckpoints, type Receipt } from "./open-checkpoints";
export { type RotatedKey, rotateKey } from "./rotate-key";
export { startCheckpoints } from "./schedule";
export { type NoteKey, openNote, readVerifierKey, toVerifierKey } from "./signed-note";
export {
	type CheckpointRow,
	findCheckpoints,
	findKeys,
	findLeafPlace,
	findNewestCheckpoint,
	type KeyRow,
	type LeafPlace,
} from "./store";
