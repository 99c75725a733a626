import type { Tx } from "../../platform/database";

/** Keys that may be in the same hands as one key, itself among them, since all come from the same ones. */
export type Kin = {
	readonly keyIds: readonly string[];
	/** Those that no other key made: where they come from. */
	readonly rootIds: readonly string[];
	/** When the key was made; undefined for one that is not known. */
	readonly madeAt: Date | undefined;
};

export type FindKin = (tx: Tx, keyId: string) => Promise<Kin>;
