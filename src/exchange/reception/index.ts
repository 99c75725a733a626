/** Documents that companies receive: the services that counterparties call, and the tenant's operations on them. */

export { checkCounterpartyIsSigner, checkCounterpartyToken } from "./counterparty-token";
export type { ReceptionDeps } from "./deps";
export { createExaminer, type Examiner } from "./examiner";
export { createArchiveReceived, createQueryAuthority, findReceivedParts } from "./handlers";
export type {
	ApprovalSummary,
	AuthorityStatus,
	FindApprovals,
	OnReceived,
	ReceivedDocument,
} from "./received-document";
export { receptionOperations } from "./routes";
export { RECEIVER_TAG } from "./routes-counterparties";
export { findReceivedDocument, listIssuers, lockNumber, readReceivedFile, sweepSeeds } from "./store";
export { readXmlPart, xmlPartBody } from "./xml-part";
