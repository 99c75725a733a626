/** What is delivered to a buyer, and the reaction that starts a delivery. */

import { findProfile } from "../../ecf/mapping";
import { OUTBOX_KINDS } from "../../platform/outbox";
import { parseTaxpayerDocument } from "../../platform/values";
import type { VerdictReaction } from "../verdicts";

export type BuyerDeliveryState = "pending" | "not-listed" | "delivered" | "refused" | "undelivered";

/** The digits of the buyer that a document could be delivered to; undefined for other types and buyers. */
export function buyerOf(type: string, customerRnc: string | null | undefined): string | undefined {
	if (!findProfile(type)?.exchanged || typeof customerRnc !== "string") return undefined;
	return parseTaxpayerDocument(customerRnc)?.digits;
}

/** Whether an accepted document may have a receiver. `request` is its JSON text. */
function mayHaveReceiver({ type, request }: { readonly type: string; readonly request: string }): boolean {
	return findProfile(type)?.exchanged === true && buyerOf(type, JSON.parse(request).customer?.rnc) !== undefined;
}

/** Why a receiver refused a document. Source: the authority's format of the acknowledgement. */
const MOTIVES: Readonly<Record<number, string>> = {
	1: "The document does not conform to the specification.",
	2: "The signature is invalid.",
	3: "The buyer has the document already.",
	4: "The buyer's RNC is not the receiver's.",
};

/** The buyer has the document already, from another source or because an acknowledgement was lost. */
export const DUPLICATE = 3;

export function explainMotive(motive: number): string {
	return MOTIVES[motive] ?? "The buyer gave an unknown reason.";
}

/** An accepted document goes to its buyer, unless it belongs to a certification test set. */
export const deliverAccepted: VerdictReaction = {
	messages: ({ decision, invoice }) => {
		if (decision?.status !== "accepted" || invoice.testSetId !== null || !mayHaveReceiver(invoice)) return [];
		return [{ kind: OUTBOX_KINDS.deliverToBuyer, tenantId: invoice.tenantId, subject: invoice.docId }];
	},
};
