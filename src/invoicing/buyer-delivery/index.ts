/** Handing accepted documents to buyers that receive electronically, and how other taxpayers' receivers are found and called. */
export { createDeliverToBuyer } from "./deliver";
export { type Directory, openDirectory } from "./directory";
export { answers } from "./judge-answer";
export { BUYER_KIND, explainMotive, mayHaveReceiver } from "./parcel";
export { createPeerClient, hostOf, type PeerAnswer, type PeerClient } from "./peer-client";
export {
	type AcknowledgementRow,
	type AttemptRow,
	type BuyerDeliveryRow,
	findAcknowledgement,
	findDelivery,
} from "./shown-store";
export { asSignerOf } from "./sign-in";
export { reopenDelivery } from "./store";
