/** Handing accepted documents to buyers that receive electronically, and how other taxpayers' receivers are found and called. */
export { type Directory, type DirectoryQuestion, openDirectory } from "./directory";
export {
	createPeerClient,
	type PeerAddress,
	type PeerAnswer,
	type PeerClient,
	type PeerDocument,
	type PeerFault,
	type PeerSender,
} from "./peer-client";
