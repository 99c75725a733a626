/** A buyer's decision on a document: its request, its stored row and its record. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";

export type Decision = "approved" | "rejected";
export type Direction = "in" | "out";
/** Who receives our decision. */
export type Receiver = "issuer" | "authority";

/** Longest reason, in characters. Source: the authority's ACECF format. */
export const REASON_CHARACTERS_MAX = 250;

/**
 * The states of a delivery.
 *
 *     pending      waiting, or being retried
 *     sent         taken by the receiver
 *     refused      not taken, according to the receiver
 *     unconfirmed  refused after an attempt whose answer was lost, so it may have been taken
 *     failed       given up after the time limit, or at once if the directory does not list the issuer
 */
export type DeliveryStatus = "pending" | "sent" | "refused" | "unconfirmed" | "failed";
export type DeliveryMessage = { readonly code: string; readonly text: string };

export type DeliveryRow = {
	readonly receiver: Receiver;
	readonly status: DeliveryStatus;
	readonly messages: readonly DeliveryMessage[];
	readonly attempts: number;
	readonly endedAt: Date | null;
};

/** What an ACECF says. */
export type ApprovalContent = {
	readonly issuerRnc: string;
	readonly buyerRnc: string;
	readonly encf: string;
	/** `YYYY-MM-DD`. */
	readonly issueDate: string;
	readonly total: string;
	readonly decision: Decision;
	readonly reason: string | null;
	readonly decidedAt: Date;
};

type ApprovalValues = ApprovalContent & {
	readonly id: string;
	readonly tenantId: string;
	/** The order by which the rule decided. */
	readonly purchaseOrder: string | null;
	/** In: the holder of the certificate that signed it. */
	readonly signer: string | null;
	readonly createdAt: Date;
};

/** A decision as it is written, once. */
export type NewApproval = ApprovalValues &
	(
		| { readonly direction: "out"; readonly receivedDocumentId: string; readonly docId: null }
		| { readonly direction: "in"; readonly docId: string; readonly receivedDocumentId: null }
	);

export type ApprovalRow = NewApproval & { readonly deliveries: readonly DeliveryRow[] };

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const DecisionSchema = Type.Union([Type.Literal("approved"), Type.Literal("rejected")], {
	description: "The buyer's decision on the document.",
});

/** Body of `POST /v1/received-documents/{id}/approval`. */
export const ApprovalRequest = Type.Object(
	{
		decision: DecisionSchema,
		reason: Type.Optional(
			Nullable(
				Type.String({
					maxLength: REASON_CHARACTERS_MAX,
					description: "Required for a rejection. The issuer and the authority read it.",
				}),
			),
		),
	},
	{ additionalProperties: false },
);
export type ApprovalRequest = Static<typeof ApprovalRequest>;

const DeliveryStatusSchema = Type.Union(
	[
		Type.Literal("pending"),
		Type.Literal("sent"),
		Type.Literal("refused"),
		Type.Literal("unconfirmed"),
		Type.Literal("failed"),
	],
	{
		description:
			"`refused`: the receiver does not take it. `unconfirmed`: refused after an attempt whose answer was lost. `failed`: given up " +
			"after 72 hours, or at once if the authority's directory does not list the issuer. `messages` gives the reason.",
	},
);

export const ApprovalRecord = Type.Object(
	{
		approvalId: Type.String(),
		receivedDocumentId: Nullable(Type.String({ description: "Out: the received document." })),
		encf: Type.String(),
		decision: DecisionSchema,
		reason: Nullable(Type.String()),
		status: Type.Union(
			[
				Type.Literal("sending"),
				Type.Literal("sent"),
				Type.Literal("partly-sent"),
				Type.Literal("failed"),
				Type.Literal("received"),
			],
			{
				description:
					"Out: `sending` while a delivery is pending, then `sent`, `partly-sent` or `failed`, depending on how many of the two " +
					"arrived. In: `received`.",
			},
		),
		delivery: Nullable(Type.Object({ issuer: DeliveryStatusSchema, authority: DeliveryStatusSchema })),
		decidedAt: Type.String({ description: "In: the time that the buyer states." }),
		direction: Type.Union([Type.Literal("in"), Type.Literal("out")]),
		docId: Nullable(Type.String({ description: "In: the company's own invoice." })),
		issuerRnc: Type.String(),
		buyerRnc: Type.String(),
		purchaseOrder: Nullable(Type.String({ description: "The order by which the company's rule approved it." })),
		signer: Nullable(
			Type.String({
				description:
					"In: the holder of the certificate that signed it. It names a person; only the authority knows for whom that person may sign.",
			}),
		),
		createdAt: Type.String(),
		deliveries: Type.Array(
			Type.Object({
				to: Type.Union([Type.Literal("issuer"), Type.Literal("authority")]),
				status: DeliveryStatusSchema,
				attempts: Type.Integer(),
				messages: Type.Array(Type.Object({ code: Type.String(), text: Type.String() })),
				endedAt: Nullable(Type.String()),
			}),
		),
		_links: Type.Object({ self: Type.String(), xml: Type.String() }),
	},
	{
		$id: "Approval",
		examples: [
			{
				approvalId: "0192f150-7a00-7b11-9c22-334455667788",
				receivedDocumentId: "0192f140-7a00-7b11-9c22-334455667788",
				encf: "E310000004321",
				decision: "rejected",
				reason: "Cantidad no corresponde a la orden 5521",
				status: "sending",
				delivery: { issuer: "pending", authority: "pending" },
				decidedAt: "2026-11-20T14:50:00.000Z",
				direction: "out",
				docId: null,
				issuerRnc: "101010101",
				buyerRnc: "131880681",
				purchaseOrder: null,
				signer: null,
				createdAt: "2026-11-20T14:50:00.000Z",
				deliveries: [
					{ to: "issuer", status: "pending", attempts: 0, messages: [], endedAt: null },
					{ to: "authority", status: "pending", attempts: 0, messages: [], endedAt: null },
				],
				_links: {
					self: "/v1/approvals/0192f150-7a00-7b11-9c22-334455667788",
					xml: "/v1/approvals/0192f150-7a00-7b11-9c22-334455667788/xml",
				},
			},
		],
	},
);
export type ApprovalRecord = Static<typeof ApprovalRecord>;

export function toApprovalRecord(row: ApprovalRow): ApprovalRecord {
	const self = `/v1/approvals/${row.id}`;
	const statusOf = (receiver: Receiver) => row.deliveries.find((one) => one.receiver === receiver)?.status ?? "pending";
	return {
		approvalId: row.id,
		receivedDocumentId: row.receivedDocumentId,
		encf: row.encf,
		decision: row.decision,
		reason: row.reason,
		status: toStatus(row),
		delivery: row.direction === "out" ? { issuer: statusOf("issuer"), authority: statusOf("authority") } : null,
		decidedAt: row.decidedAt.toISOString(),
		direction: row.direction,
		docId: row.docId,
		issuerRnc: row.issuerRnc,
		buyerRnc: row.buyerRnc,
		purchaseOrder: row.purchaseOrder,
		signer: row.signer,
		createdAt: row.createdAt.toISOString(),
		deliveries: row.deliveries.map(({ receiver, status, attempts, messages, endedAt }) => ({
			...{ to: receiver, status, attempts, messages: messages.map((one) => ({ ...one })) },
			endedAt: endedAt?.toISOString() ?? null,
		})),
		_links: { self, xml: `${self}/xml` },
	};
}

function toStatus({ direction, deliveries }: ApprovalRow): ApprovalRecord["status"] {
	if (direction === "in") return "received";
	if (deliveries.some(({ status }) => status === "pending")) return "sending";
	const sent = deliveries.filter(({ status }) => status === "sent").length;
	return sent === deliveries.length ? "sent" : sent > 0 ? "partly-sent" : "failed";
}
