/** The acknowledgement of an invoice. */
import { type Static, Type } from "@sinclair/typebox";
import { CONTINGENCY_SECONDS, type Segment } from "../../../authority/client";
import type { AuthorityStatus } from "../../../authority/status";
import { type Warning, WarningSchema } from "../../../ecf/mapping";
import { contingencyLegendsFor, type Standing } from "../../../ecf/printing";
import { retryOnFailure } from "../../../platform/database";
import type { Print } from "./invoice-row";
import { AuthorityView, InvoiceStatus } from "./status";

export const PrintSchema = Type.Object({
	securityCode: Type.String({ description: "First six characters of the signature's value." }),
	signedAt: Type.String({ description: "RFC 3339, UTC." }),
	qrUrl: Type.String({ description: "The address in the receipt's QR code." }),
});

/** What a point of sale prints. */
export const ReceiptPrint = Type.Object({
	...PrintSchema.properties,
	contingency: Type.Union(
		[
			Type.Object({
				active: Type.Boolean(),
				since: Type.String({ description: "When the document was signed, RFC 3339, UTC." }),
				sendBy: Type.String({ description: "Until then the document must reach the authority, RFC 3339, UTC." }),
			}),
			Type.Null(),
		],
		{
			description:
				"Of a document that waits for an authority out of reach; otherwise null. An acknowledgement has the state at its issue.",
		},
	),
	legend: Type.Array(Type.String(), {
		description: "Lines in Spanish that the receipt must show, as the PDF does. Empty if there are none.",
	}),
	escpos: Type.Optional(
		Type.String({
			description:
				"With `print=escpos`: the receipt for an ESC/POS printer, base64, as `…/pdf?format=escpos` gives it. Absent while too many " +
				"documents wait for printing.",
		}),
	),
});
export type ReceiptPrint = Static<typeof ReceiptPrint>;

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
		print: ReceiptPrint,
		warnings: Type.Array(WarningSchema),
		totalsDop: Type.Optional(
			Type.Object(
				{ subtotal: Type.String(), tax: Type.String(), grand_total: Type.String() },
				{ description: 'The totals in pesos of a request with `amounts_in: "document"`.' },
			),
		),
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
					contingency: null,
					legend: [],
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
	standing: Standing;
	warnings: readonly Warning[];
	totalsDop?: NonNullable<Acknowledgement["totalsDop"]>;
}): Acknowledgement {
	const self = `/v1/invoices/${of.docId}`;
	return {
		docId: of.docId,
		trackId: of.trackId,
		status: "pending",
		encf: of.encf,
		receivedAt: of.receivedAt.toISOString(),
		print: toReceiptPrint(of.print, of.standing),
		warnings: of.warnings.map((w) => ({ ...w })),
		...(of.totalsDop ? { totalsDop: { ...of.totalsDop } } : {}),
		_links: { self, status: `${self}/status`, xml: `${self}/xml`, pdf: `${self}/pdf` },
	};
}

export function toReceiptPrint(print: Print, standing: Standing): ReceiptPrint {
	const signedAt = new Date(print.signedAt);
	// Gap: sources name the emission or the reconnection as the start of the 72 hours; the earlier one is safe.
	const sendBy = new Date(signedAt.getTime() + CONTINGENCY_SECONDS * 1_000);
	return {
		...print,
		contingency:
			standing === "contingency" ? { active: true, since: signedAt.toISOString(), sendBy: sendBy.toISOString() } : null,
		legend: [...contingencyLegendsFor(standing)],
	};
}

/** The standing of a document that the authority has not received yet: a contingency during an outage. */
export async function standingUnsent(
	{ authorityStatus }: { readonly authorityStatus: Pick<AuthorityStatus, "isContingency"> },
	segment: Segment,
): Promise<"pending" | "contingency"> {
	return (await retryOnFailure(() => authorityStatus.isContingency(segment))) ? "contingency" : "pending";
}
