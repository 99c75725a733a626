/** The numbers of a company: registered ranges, numbers for documents, leases, voids. */

export { readSequences } from "./forecast";
export { findHeld } from "./hold-store";
export { settleNumbers } from "./low-sequence";
export { toNumber } from "./number-ranges";
export { createNumbering, type HeldNumber, type Numbering } from "./numbering";
export { type Reconciled, reconcileNumbers } from "./reconcile-numbers";
export { sequenceOperations } from "./routes";
export { createSendVoid } from "./send-void";
export type { SequenceRecord } from "./sequence";
export type { NumberStanding } from "./store";
export { listUnreconciled, noteAllUnreconciled, noteUnreconciled } from "./unreconciled-store";
export { isVoided } from "./void-store";
