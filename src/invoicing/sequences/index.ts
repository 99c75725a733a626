/** The numbers of a company: registered ranges, numbers for documents, leases, voids. */

export { findHeld } from "./hold-store";
export { settleNumbers } from "./low-sequence";
export { toNumber } from "./number-ranges";
export { createNumbering, type HeldNumber, type Numbering } from "./numbering";

export { sequenceOperations } from "./routes";
export { createSendVoid } from "./send-void";
export type { NumberStanding } from "./store";
export { isVoided } from "./void-store";
