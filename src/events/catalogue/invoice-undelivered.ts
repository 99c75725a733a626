import { defineEvent, delivery, EXAMPLE_INVOICE } from "./definition";

/** Sent when the delivery to a buyer ends. */
export const invoiceUndelivered = defineEvent({
	name: "invoice.undelivered",
	sentWhen:
		"A buyer that receives electronically did not take the e-CF. `delivery.state` is `refused`, with the `motive` of the acknowledgement, or `undelivered` after 72 hours.",
	members: delivery("refused", "undelivered"),
	example: {
		...EXAMPLE_INVOICE,
		status: "accepted",
		delivery: { state: "refused", buyerRnc: "990000002", motive: 2 },
	},
});
