import { signDelivery, signStandard } from "./signature";

export type SignedAttempt = {
	readonly secret: string;
	readonly deliveryId: string;
	readonly event: string;
	readonly body: Uint8Array;
	/** 1 for the first. */
	readonly attempt: number;
	/** When this attempt is made; its age is what a receiver checks. */
	readonly at: Date;
};

/** All headers of one attempt, signed for it. */
export function toDeliveryHeaders(attempt: SignedAttempt): Record<string, string> {
	const { secret, deliveryId, event, body } = attempt;
	const t = Math.floor(attempt.at.getTime() / 1000);
	return {
		"Content-Type": "application/json",
		"User-Agent": "ecf-webhooks/1",
		"X-Service-Event": event,
		"X-Service-Signature": signDelivery(secret, body, t),
		"X-Service-Delivery": deliveryId,
		"X-Service-Attempt": String(attempt.attempt),
		"webhook-id": deliveryId,
		"webhook-timestamp": String(t),
		"webhook-signature": signStandard(secret, deliveryId, body, t),
	};
}
