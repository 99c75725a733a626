/** What each attempt carries besides its body. */
import type { CurrentSecrets } from "../endpoints";
import { signDelivery, signStandard } from "./signature";

type SignedAttempt = {
	readonly secrets: CurrentSecrets<string>;
	readonly deliveryId: string;
	readonly event: string;
	readonly body: Uint8Array;
	/** 1 for the first. */
	readonly attempt: number;
	/** When this attempt is made; its age is what a receiver checks. */
	readonly at: Date;
};

/**
 * All headers of one attempt, signed for it. During a rotation the main signature stays the old secret's, so that a receiver which
 * knows only that one goes on; the new one's stands beside it. The specified header holds one `t` and one `v1`, never two.
 */
export function toDeliveryHeaders(attempt: SignedAttempt): Record<string, string> {
	const { deliveryId, event, body } = attempt;
	const { main, next } = attempt.secrets;
	const t = Math.floor(attempt.at.getTime() / 1000);
	return {
		"Content-Type": "application/json",
		"User-Agent": "ecf-webhooks/1",
		"X-Service-Event": event,
		"X-Service-Signature": signDelivery(main, body, t),
		...(next === undefined ? {} : { "X-Service-Signature-Next": signDelivery(next, body, t) }),
		"X-Service-Delivery": deliveryId,
		"X-Service-Attempt": String(attempt.attempt),
		"webhook-id": deliveryId,
		"webhook-timestamp": String(t),
		"webhook-signature": [main, ...(next === undefined ? [] : [next])]
			.map((secret) => signStandard(secret, deliveryId, body, t))
			.join(" "),
	};
}
