/** A document's delivery to its buyer as tenants see it: in short in the status record, and in full. */
import { type Static, Type } from "@sinclair/typebox";
import { type AcknowledgementRow, type AttemptRow, type BuyerDeliveryRow, explainMotive } from "../../buyer-delivery";

const Nullable = <T extends ReturnType<typeof Type.String>>(schema: T) => Type.Union([schema, Type.Null()]);

const STATES = "pending, not-listed, delivered, refused or undelivered.";

const Motive = Type.Union([
	Type.Object({
		code: Type.Integer({ description: "1 specification, 2 signature, 3 duplicate, 4 another buyer." }),
		text: Type.String(),
	}),
	Type.Null(),
]);

export const DeliveryView = Type.Object({
	state: Type.String({ description: STATES }),
	at: Type.String({ description: "Time of the last change." }),
	motive: Motive,
});

export type DeliveryView = Static<typeof DeliveryView>;

export const DeliveryRecord = Type.Object(
	{
		docId: Type.String(),
		encf: Type.String(),
		buyerRnc: Type.String(),
		state: Type.String({ description: STATES }),
		motive: Motive,
		detail: Nullable(Type.String({ description: "Why it did not arrive." })),
		attempts: Type.Array(
			Type.Object({
				n: Type.Integer(),
				at: Type.String(),
				host: Type.String({ description: "Host of the buyer's receiver." }),
				result: Nullable(
					Type.String({ description: "delivered, refused, not-sent or unknown; null while the attempt runs." }),
				),
				httpStatus: Type.Union([Type.Integer(), Type.Null()]),
				detail: Nullable(Type.String()),
			}),
			{ description: "The last hundred, oldest first." },
		),
		acknowledgement: Type.Union([
			Type.Object({
				state: Type.String({ description: "received or not-received." }),
				motive: Motive,
				signer: Type.String({ description: "Subject of the certificate that signed it." }),
				sha256: Type.String({ description: "SHA-256 of the bytes, hex." }),
				receivedAt: Type.String(),
			}),
			Type.Null(),
		]),
		createdAt: Type.String(),
		updatedAt: Type.String(),
		_links: Type.Object({
			self: Type.String(),
			invoice: Type.String(),
			acknowledgement: Type.Optional(Type.String()),
			retry: Type.Optional(Type.String()),
		}),
	},
	{
		$id: "InvoiceDelivery",
		examples: [
			{
				docId: "0192f110-7a00-7b11-9c22-334455667788",
				encf: "E310000000001",
				buyerRnc: "101010101",
				state: "delivered",
				motive: null,
				detail: null,
				attempts: [
					{
						...{ n: 1, at: "2026-11-20T14:20:01.100Z", host: "fe.cliente.example", result: "delivered" },
						...{ httpStatus: 200, detail: null },
					},
				],
				acknowledgement: {
					state: "received",
					motive: null,
					signer: "CN=MARIA PEREZ, SERIALNUMBER=IDCDO-00112345678",
					sha256: "b33f…",
					receivedAt: "2026-11-20T14:20:01.410Z",
				},
				createdAt: "2026-11-20T14:20:01.090Z",
				updatedAt: "2026-11-20T14:20:01.410Z",
				_links: {
					self: "/v1/invoices/0192f110-7a00-7b11-9c22-334455667788/delivery",
					invoice: "/v1/invoices/0192f110-7a00-7b11-9c22-334455667788",
					acknowledgement: "/v1/invoices/0192f110-7a00-7b11-9c22-334455667788/delivery/arecf",
				},
			},
		],
	},
);
export type DeliveryRecord = Static<typeof DeliveryRecord>;

export function toDeliveryView({ state, at, motive }: DeliveryState): DeliveryView {
	return { state, at: new Date(at).toISOString(), motive: toMotive(motive) };
}

/** The delivery as it is read with a document. `version` changes with every visible change. */
export type DeliveryState = {
	readonly state: string;
	/** In any form that a Date reads. */
	readonly at: string;
	readonly motive: number | null;
	readonly version: number;
};

export function toDeliveryRecord(
	encf: string,
	delivery: BuyerDeliveryRow,
	attempts: readonly AttemptRow[],
	acknowledgement: AcknowledgementRow | undefined,
): DeliveryRecord {
	const { docId, buyerRnc, state, motive, detail, createdAt, updatedAt } = delivery;
	const self = `/v1/invoices/${docId}/delivery`;
	const isOpen = state === "pending" || state === "delivered";
	return {
		...{ docId, encf, buyerRnc, state, motive: toMotive(motive), detail },
		attempts: attempts.map(({ n, intentAt, host, result, httpStatus, detail }) => ({
			...{ n, at: intentAt.toISOString(), host, result, httpStatus, detail },
		})),
		acknowledgement: acknowledgement
			? {
					state: acknowledgement.isReceived ? "received" : "not-received",
					motive: toMotive(acknowledgement.motive),
					signer: acknowledgement.signer,
					sha256: Buffer.from(acknowledgement.sha256).toString("hex"),
					receivedAt: acknowledgement.receivedAt.toISOString(),
				}
			: null,
		createdAt: createdAt.toISOString(),
		updatedAt: updatedAt.toISOString(),
		_links: {
			self,
			invoice: `/v1/invoices/${docId}`,
			...(acknowledgement ? { acknowledgement: `${self}/arecf` } : {}),
			...(isOpen ? {} : { retry: `${self}/retry` }),
		},
	};
}

function toMotive(motive: number | null): Static<typeof Motive> {
	return motive === null ? null : { code: motive, text: explainMotive(motive) };
}
