/** A delivery as its tenant sees it. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { timeOfId } from "../../../platform/values";
import type { DeliveryRow, MadeAttempt } from "./store";

const OrNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const DeliveryStatusSchema = Type.Union(
	(["pending", "failed", "delivered", "dead"] as const).map((status) => Type.Literal(status)),
	{
		description:
			"`pending`: no attempt yet. `failed`: the last attempt failed and a retry is due. `dead`: all retries failed. A dead delivery " +
			"is sent again by its webhook's `recovery`, or on request.",
	},
);

const common = {
	deliveryId: Type.String({ description: "`X-Service-Delivery` of every attempt." }),
	webhookId: Type.String(),
	event: Type.String(),
	docId: Type.String(),
	sequence: Type.Integer({ description: "The event's number among the company's events." }),
	status: DeliveryStatusSchema,
	reason: OrNull(Type.String({ description: "Why the delivery is dead." })),
	createdAt: Type.String(),
	deliveredAt: OrNull(Type.String()),
	deadAt: OrNull(Type.String()),
	_links: Type.Object({ self: Type.String(), redeliver: Type.String() }),
};

const Attempt = Type.Object({
	n: Type.Integer(),
	at: Type.String(),
	durationMs: Type.Integer(),
	responseStatus: OrNull(Type.Integer()),
	error: OrNull(Type.String({ description: "Why no complete answer arrived, such as `timeout` or `tls-error`." })),
	responseBody: Type.String({ description: "The first 4 KiB of the answer." }),
});

/** A delivery in a list: with its last attempt only, and without the answer's body. */
export const DeliverySummary = Type.Object(
	{
		...common,
		attemptCount: Type.Integer(),
		lastAttempt: Type.Union([Type.Omit(Attempt, ["responseBody"]), Type.Null()]),
	},
	{ $id: "DeliverySummary" },
);
export type DeliverySummary = Static<typeof DeliverySummary>;

export const DeliveryRecord = Type.Object(
	{
		...common,
		body: Type.String({ description: "The exact bytes that every attempt sends." }),
		attempts: Type.Array(Attempt),
	},
	{ $id: "Delivery" },
);
export type DeliveryRecord = Static<typeof DeliveryRecord>;

/** `base` is the path of the webhooks: a company's or an owner's. */
export function toDeliverySummary(row: DeliveryRow, base: string): DeliverySummary {
	const { last } = row;
	return {
		...toCommon(row, base),
		attemptCount: last?.n ?? 0,
		lastAttempt: last ? withoutBody(last) : null,
	};
}

export function toDeliveryRecord(
	row: DeliveryRow,
	body: string,
	attempts: readonly MadeAttempt[],
	base: string,
): DeliveryRecord {
	const all = attempts.map((one) => ({ ...withoutBody(one), responseBody: one.responseBody }));
	return { ...toCommon(row, base), body, attempts: all };
}

function toCommon(row: DeliveryRow, base: string) {
	const { id, webhookId, event, docId, sequence, status, reason, endedAt } = row;
	const ended = endedAt?.toISOString() ?? null;
	const self = `${base}/deliveries/${id}`;
	return {
		...{ deliveryId: id, webhookId, event, docId, sequence, status, reason },
		createdAt: timeOfId(id).toISOString(),
		deliveredAt: status === "delivered" ? ended : null,
		deadAt: status === "dead" ? ended : null,
		_links: { self, redeliver: `${self}/redeliver` },
	};
}

function withoutBody({ n, at, durationMs, responseStatus, error }: Omit<MadeAttempt, "responseBody">) {
	return { n, at: new Date(at).toISOString(), durationMs, responseStatus, error };
}
