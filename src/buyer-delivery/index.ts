/** Handing accepted documents to buyers that receive electronically, and how other taxpayers' receivers are found and called. */
export { createDeliverToBuyer } from "./deliver";
export { type Directory, type DirectoryQuestion, openDirectory } from "./directory";
export { answers } from "./judge-answer";
export { BUYER_KIND, type BuyerDeliveryState, buyerOf, explainMotive, mayHaveReceiver } from "./parcel";
export {
	createPeerClient,
	hostOf,
	type PeerAddress,
	type PeerAnswer,
	type PeerClient,
	type PeerDocument,
	type PeerFault,
	type PeerSender,
} from "./peer-client";
export {
	type AcknowledgementRow,
	type AttemptRow,
	type BuyerDeliveryRow,
	findAcknowledgement,
	findDelivery,
} from "./shown-store";
export { reopenDelivery } from "./store";
export type { DeliverToBuyerDeps } from "./work";
