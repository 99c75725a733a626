/** The whole corpus, in the order of the manifest. */
import type { Attack } from "./attack";
import { mathematicsAttacks } from "./mathematics";
import { readingAttacks } from "./reading";
import { signerAttacks } from "./signer";
import { structureAttacks } from "./structure";
import { wrappingAttacks } from "./wrapping";

export type { Attack } from "./attack";
export { type Genuine, genuineDocuments } from "./genuine";
export { identities } from "./identities";

/** Attacks by their kind. */
export const attacks: Readonly<Record<string, readonly Attack[]>> = {
	reading: readingAttacks,
	wrapping: wrappingAttacks,
	structure: structureAttacks,
	mathematics: mathematicsAttacks,
	signer: signerAttacks,
};
