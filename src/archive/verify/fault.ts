/** What can be wrong with an archive. */
import type { ObjectFault } from "../object-store/archive";

/**
 * Which part is wrong: the object in the store, its own content (`sealed`), an object without a row (`strange`), its row of the index or its
 * leaf (`leaf`), the chain of its tenant, a tree's nodes, the indexes of leaves (`gap`), or what was signed (`checkpoint`).
 */
export type FaultKind = ObjectFault | "sealed" | "strange" | "leaf" | "chain" | "node" | "gap" | "checkpoint";

export type ArchiveFault = {
	/** Null if the fault concerns no document, or an unknown one. */
	readonly docId: string | null;
	/** The object's key; null if the fault is not about one object. */
	readonly key: string | null;
	readonly fault: FaultKind;
	readonly detail: string;
};

export type ReportFault = (fault: ArchiveFault) => void;
