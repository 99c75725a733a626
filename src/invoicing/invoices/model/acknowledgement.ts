/** The acknowledgement of an invoice. */
import { type Static, Type } from "@sinclair/typebox";
import { type Warning, WarningSchema } from "../../../ecf/mapping";
import type { Print } from "./invoice-row";
import { AuthorityView, InvoiceStatus } from "./status";

export const PrintSchema = Type.Object({
	securityCode: Type.String({ description: "First six characters of the signature's value." }),
	signedAt: Type.String({ description: "RFC 3339, UTC." }),
	qrUrl: Type.String({ description: "The address in the receipt's QR code." }),
});

/** The answer to `POST /v1/invoices`: all that a point of sale needs to print the receipt. */
export const Acknowledgement = Type.Object(
	{
		docId: Type.String(),
		trackId: Type.String({
			description:
				"This service's own id, which never changes. The authority's id is `authority.trackId` of the status.",
		}),
		status: Type.String({
			description: "`pending`; after `Prefer: wait`, the status reached by then.",
		}),
		encf: Type.String(),
		receivedAt: Type.String(),
		print: PrintSchema,
		warnings: Type.Array(WarningSchema),
		_links: Type.Object({ self: Type.String(), status: Type.String(), xml: Type.String(), pdf: Type.String() }),
		authority: Type.Optional(
			Type.Object(AuthorityView.properties, { description: "As in the status, if the wait ended with a decision." }),
		),
		failure: InvoiceStatus.properties.failure,
	},
	{
		$id: "Acknowledgement",
		examples: [
			{
				docId: "0192f110-7a00-7b11-9c22-334455667788",
				trackId: "0192f110-7a01-7c33-8d44-556677889900",
				status: "pending",
				encf: "E310000000001",
				receivedAt: "2026-11-20T14:20:00.118Z",
				print: {
					securityCode: "a1B2c3",
					signedAt: "2026-11-20T14:20:00.118Z",
					qrUrl:
						"https://authority.example/testecf/ConsultaTimbre?RncEmisor=990000001&RncComprador=990000002&ENCF=E310000000001" +
						"&FechaEmision=20-11-2026&MontoTotal=5310.00&FechaFirma=20-11-2026%2010:20:00&CodigoSeguridad=a1B2c3",
				},
				warnings: [],
				_links: {
					self: "/v1/invoices/0192f110-7a00-7b11-9c22-334455667788",
					status: "/v1/invoices/0192f110-7a00-7b11-9c22-334455667788/status",
					xml: "/v1/invoices/0192f110-7a00-7b11-9c22-334455667788/xml",
					pdf: "/v1/invoices/0192f110-7a00-7b11-9c22-334455667788/pdf",
				},
			},
		],
	},
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
		_links: { self, status: `${self}/status`, xml: `${self}/xml`, pdf: `${self}/pdf` },
	};
}
