/** Documents that companies receive: the services that peers call, and what a tenant has of them. */
export { createArchiveReceived } from "./archive-received";
export { createExaminer } from "./examiner";
export { checkPeerIsSigner, checkPeerToken, type PeerTokenDeps } from "./peer-token";
export { createAskAuthority } from "./query-authority";
export { peerBody, readPeerXml } from "./read-peer-xml";
export type { AuthorityStatus, OnReceived, ReceivedDocument } from "./received-document";
export type { ApprovalSummary, FindApprovals } from "./record";
export { type ReceptionDeps, receptionOperations } from "./routes";
export { PEER_TAG } from "./routes-peers";
export { findReceivedDocument, lockNumber, sweepSeeds } from "./store";
export { ARCHIVE_RECEIVED_KIND, ASK_AUTHORITY_KIND } from "./store-document";
