import { defineEvent, delivery, EXAMPLE_INVOICE } from "./definition";

/** Sent when the delivery to a buyer ends. */
export const invoiceDelivered = defineEvent({
	name: "invoice.delivered",
	sentWhen: "The buyer acknowledged an accepted e-CF. `delivery` names the buyer.",
	members: delivery("delivered"),
	example: { ...EXAMPLE_INVOICE, status: "accepted", delivery: { state: "delivered", buyerRnc: "990000002" } },
});
