/** Documents that companies receive: the services that peers call, and what a tenant has of them. */

export { createExaminer } from "./examiner";
export { createArchiveReceived, createAskAuthority } from "./handlers";
export { peerBody, readPeerXml } from "./peer-request";
export { checkPeerIsSigner, checkPeerToken, type PeerTokenDeps } from "./peer-token";

export type {
	ApprovalSummary,
	AuthorityStatus,
	FindApprovals,
	OnReceived,
	ReceivedDocument,
} from "./received-document";
export { type ReceptionDeps, receptionOperations } from "./routes";
export { PEER_TAG } from "./routes-peers";
export { findReceivedDocument, lockNumber, sweepSeeds } from "./store";
