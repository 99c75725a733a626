/** Submission: from the stored document to the authority's verdict, and what follows from it. */
export { archiveDecided, createArchiveInvoice, toSealParts } from "./archive-invoice";
export { expediteSubmissions } from "./authority-availability";
export { findCarried, SUBMISSION_WORK, storeCarried } from "./left-work";
export type { SubmitDeps } from "./submission-context";
export { concludeSteps } from "./submission-repository";
export { findSubmissionStates } from "./submission-state";
export { createSubmit } from "./submit-invoice";
export { verdictEvents } from "./verdict";
export { wakeWaitingNotes } from "./wait-for-reference";
