/** What goes to a buyer, and where it stands. */

import { findProfile } from "../../ecf/mapping";
import { OUTBOX_KINDS } from "../../platform/outbox";
import { parseTaxpayerDocument } from "../../platform/values";
import type { VerdictReaction } from "../verdicts";

export type BuyerDeliveryState = "pending" | "not-listed" | "delivered" | "refused" | "undelivered";

/** The digits of the buyer whom a document could be handed to; undefined for a type or a buyer that takes none. */
export function buyerOf(type: string, customerRnc: string | null | undefined): string | undefined {
	if (!findProfile(type)?.exchanged || typeof customerRnc !== "string") return undefined;
	return parseTaxpayerDocument(customerRnc)?.digits;
}

/** True when a document, once it is accepted, has to be looked after; `request` is its JSON text. */
function mayHaveReceiver({ type, request }: { readonly type: string; readonly request: string }): boolean {
	return findProfile(type)?.exchanged === true && buyerOf(type, JSON.parse(request).customer?.rnc) !== undefined;
}

/** Why a receiver did not take a document. Source: the authority's format of the acknowledgement. */
const MOTIVES: Readonly<Record<number, string>> = {
	1: "The document does not keep to the specification.",
	2: "The signature does not hold.",
	3: "The buyer has the document already.",
	4: "The buyer's RNC is not the receiver's.",
};

/** Asked for a document that the buyer has: by another road, or because an acknowledgement got lost. */
export const DUPLICATE = 3;

export function explainMotive(motive: number): string {
	return MOTIVES[motive] ?? "The buyer gave a reason that is not in the list.";
}

/** An accepted document goes to its buyer, unless it belongs to a certification test set. */
export const deliverAccepted: VerdictReaction = {
	messages: ({ decision, invoice }) => {
		if (decision?.status !== "accepted" || invoice.testSetId !== null || !mayHaveReceiver(invoice)) return [];
		return [{ kind: OUTBOX_KINDS.deliverToBuyer, tenantId: invoice.tenantId, subject: invoice.docId }];
	},
};
