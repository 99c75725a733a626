/** A buyer's word on a document: the request that says it, the row that holds it, the record that shows it. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";

export type Decision = "approved" | "rejected";
export type Direction = "in" | "out";
/** Whom our word goes to. */
export type Receiver = "issuer" | "authority";

/** Characters of a reason. Source: the authority's ACECF format. */
export const REASON_CHARACTERS_MAX = 250;

/**
 *     pending      waits, or is tried again
 *     sent         taken by the other side
 *     refused      not taken, and told so
 *     unconfirmed  refused after a sending whose answer was lost: it may have been taken
 *     failed       given up when its time was over, or at once where the directory does not list the issuer
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

/** A word as it is written, once. */
export type NewApproval = {
	readonly id: string;
	readonly tenantId: string;
	readonly issuerRnc: string;
	readonly buyerRnc: string;
	readonly encf: string;
	/** `YYYY-MM-DD`. */
	readonly issueDate: string;
	readonly total: string;
	readonly decision: Decision;
	readonly reason: string | null;
	/** The order by which the rule said it. */
	readonly purchaseOrder: string | null;
	/** In: whose certificate signed it. */
	readonly signer: string | null;
	readonly decidedAt: Date;
	readonly createdAt: Date;
} & (
	| { readonly direction: "out"; readonly receivedDocumentId: string; readonly docId: null }
	| { readonly direction: "in"; readonly docId: string; readonly receivedDocumentId: null }
);

export type ApprovalRow = NewApproval & { readonly deliveries: readonly DeliveryRow[] };

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const DecisionSchema = Type.Union([Type.Literal("approved"), Type.Literal("rejected")]);

/** Body of `POST /v1/received-documents/{id}/approval`. */
export const ApprovalRequest = Type.Object(
	{
		decision: DecisionSchema,
		reason: Type.Optional(
			Nullable(
				Type.String({
					maxLength: REASON_CHARACTERS_MAX,
					description: "Of a rejection, which needs one: the issuer and the authority read it.",
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
			"`refused`: the other side does not take it. `unconfirmed`: refused after a sending whose answer was lost. `failed`: given up after 72 hours, or at once when the authority's directory does not list the issuer; `messages` says why.",
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
					"Out: `sending` while a delivery is pending, then `sent`, `partly-sent` or `failed` by how many of both arrived. In: `received`.",
			},
		),
		delivery: Nullable(Type.Object({ issuer: DeliveryStatusSchema, authority: DeliveryStatusSchema })),
		decidedAt: Type.String({ description: "In: when the buyer says that it was." }),
		direction: Type.Union([Type.Literal("in"), Type.Literal("out")]),
		docId: Nullable(Type.String({ description: "In: the company's own invoice." })),
		issuerRnc: Type.String(),
		buyerRnc: Type.String(),
		purchaseOrder: Nullable(Type.String({ description: "The order by which the company's rule approved." })),
		signer: Nullable(
			Type.String({
				description:
					"In: the holder of the certificate that signed it. It names a person; whom that person signs for only the authority knows.",
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
