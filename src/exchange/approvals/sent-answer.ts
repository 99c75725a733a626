/** What came of sending our word once, whoever it went to. */
import type { PeerAnswer } from "../../invoicing/buyer-delivery";
import { isXmlText } from "../../platform/values";
import type { DeliveryMessage } from "./approval";

export type SentAnswer =
	| { readonly kind: "taken"; readonly messages: readonly DeliveryMessage[] }
	/** `mayBeOurs`: because the word is there already. */
	| { readonly kind: "refused"; readonly messages: readonly DeliveryMessage[]; readonly mayBeOurs: boolean }
	/** `not-sent`: certain that it was not read. */
	| { readonly kind: "not-sent" | "unknown"; readonly reason: string; readonly detail: string };

/**
 * What an issuer's answer says. Source: the authority's description of a receiver's services: 200 is good, 400 is not.
 * Gap: any other status is not the service's word; the same bytes go again.
 */
export function readPeerAnswer(answer: PeerAnswer): SentAnswer {
	if (answer.kind !== "answered") return answer;
	const { httpStatus, bytes } = answer;
	if (httpStatus === 200) return { kind: "taken", messages: [] };
	const detail = `HTTP ${httpStatus}`;
	if (httpStatus === 400)
		return { kind: "refused", messages: [{ code: detail, text: toText(bytes) }], mayBeOurs: false };
	return { kind: httpStatus === 401 ? "not-sent" : "unknown", reason: "receiver-http-error", detail };
}

/** The beginning of whatever was answered; it is shown, never judged. */
function toText(bytes: Uint8Array): string {
	const text = new TextDecoder().decode(bytes.subarray(0, 2_000));
	return [...text]
		.slice(0, 500)
		.map((one) => (isXmlText(one) ? one : "\uFFFD"))
		.join("");
}
