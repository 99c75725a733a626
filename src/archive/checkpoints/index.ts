/** Signed checkpoints of the archive's tree: what the archive has said of itself. */
export { ArchiveContradictionError } from "./contradiction";
export type { KeyDeps } from "./keys";
export { placeOfArchiveKey } from "./keys";
export { hashNote, makeCheckpoint } from "./make-checkpoint";
export { type Checkpoints, openCheckpoints, type Receipt } from "./open-checkpoints";
export { rotateKey } from "./rotate-key";
export { startCheckpoints } from "./schedule";
export { toVerifierKey } from "./signed-note";
export {
	type CheckpointRow,
	findCheckpoints,
	findKeys,
	findLeafPlace,
	findNewestCheckpoint,
	type KeyRow,
	type LeafPlace,
} from "./store";
