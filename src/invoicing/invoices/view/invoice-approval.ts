/** The buyer's word on an invoice, as its record shows it. */
import { type Static, Type } from "@sinclair/typebox";

export const InvoiceApproval = Type.Object({
	approvalId: Type.String(),
	decision: Type.Union([Type.Literal("approved"), Type.Literal("rejected")]),
	reason: Type.Union([Type.String(), Type.Null()]),
	decidedAt: Type.String({ description: "As the buyer says." }),
	receivedAt: Type.String(),
});
export type InvoiceApproval = Static<typeof InvoiceApproval>;

/** Finds the word on a tenant's invoice. */
export type FindInvoiceApproval = (tenantId: string, docId: string) => Promise<InvoiceApproval | undefined>;
