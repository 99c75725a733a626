/** What can be wrong with an archive. */
import type { ObjectFault } from "../object-store/archive";

/**
 * Which part is wrong: the object in the store, what it says of itself (`sealed`), an object that nobody has written down (`strange`), its row
 * of the index, its leaf, the chain of its tenant, the tree's nodes, the indexes of leaves (`gap`), or what was signed (`checkpoint`).
 */
export type FaultKind = ObjectFault | "sealed" | "strange" | "row" | "leaf" | "chain" | "node" | "gap" | "checkpoint";

export type ArchiveFault = {
	/** Absent where no document is concerned, or none is known. */
	readonly docId: string | null;
	/** Of the object; absent where the fault is not one object's. */
	readonly key: string | null;
	readonly fault: FaultKind;
	/** What is wrong, in one sentence. */
	readonly detail: string;
};

/** Takes faults as they are found. */
export type Tell = (fault: ArchiveFault) => void;
