/** Documents that companies receive: the services that peers call, and what a tenant has of them. */
export {
	checkPeerIsSigner,
	checkPeerToken,
	PEER_AUTHENTICATION,
	type Peer,
	type PeerAuthentication,
	type PeerTokenDeps,
} from "./peer-token";
export { peerBody, readPeerXml } from "./read-peer-xml";
export type { AuthorityStatus, OnReceived, ReceivedDocument } from "./received-document";
export { findReceivedByNumber, findReceivedDocument, findReceivedFile } from "./store";
