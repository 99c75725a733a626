import { type Static, Type } from "@sinclair/typebox";
import { type Warning, WarningSchema } from "../signing";
import type { Print } from "./invoice-row";

export const PrintSchema = Type.Object({
	securityCode: Type.String({ description: "First six characters of the signature's value." }),
	signedAt: Type.String({ description: "RFC 3339, UTC." }),
	qrUrl: Type.String({ description: "What the receipt's QR holds." }),
});

/** Answer of `POST /v1/invoices`: everything that a point of sale needs to print the receipt. */
export const Acknowledgement = Type.Object(
	{
		docId: Type.String(),
		trackId: Type.String({
			description: "Given by this service and never changed; the authority's own is `authority.trackId` of the status.",
		}),
		status: Type.String({ description: "`pending` on submission." }),
		encf: Type.String(),
		receivedAt: Type.String(),
		print: PrintSchema,
		warnings: Type.Array(WarningSchema),
		_links: Type.Object({ self: Type.String(), status: Type.String(), xml: Type.String() }),
	},
	{ $id: "Acknowledgement" },
);
export type Acknowledgement = Static<typeof Acknowledgement>;

export function toAcknowledgement(of: {
	docId: string;
	trackId: string;
	encf: string;
	receivedAt: Date;
	print: Print;
	warnings: readonly Warning[];
}): Acknowledgement {
	const self = `/v1/invoices/${of.docId}`;
	return {
		docId: of.docId,
		trackId: of.trackId,
		status: "pending",
		encf: of.encf,
		receivedAt: of.receivedAt.toISOString(),
		print: { ...of.print },
		warnings: of.warnings.map((w) => ({ ...w })),
		_links: { self, status: `${self}/status`, xml: `${self}/xml` },
	};
}
