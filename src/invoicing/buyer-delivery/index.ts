/** Handing accepted documents to buyers that receive electronically, and how other taxpayers' receivers are found and called. */

export { answers, asSignerOf } from "./attempt";
export { createDeliverToBuyer, findUndelivered } from "./deliver";
export { type Directory, openDirectory } from "./directory";
export { deliverAccepted, explainMotive } from "./parcel";
export { createPeerClient, hostOf, type PeerAnswer, type PeerClient } from "./peer-client";
export {
	type AcknowledgementRow,
	type AttemptRow,
	type BuyerDeliveryRow,
	findAcknowledgement,
	findDelivery,
	reopenDelivery,
} from "./store";
