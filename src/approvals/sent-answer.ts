/** What came of sending our word once, whoever it went to. */
import type { DeliveryMessage } from "./approval";

export type SentAnswer =
	| { readonly kind: "taken"; readonly messages: readonly DeliveryMessage[] }
	/** `mayBeOurs`: because the word is there already. */
	| { readonly kind: "refused"; readonly messages: readonly DeliveryMessage[]; readonly mayBeOurs: boolean }
	/** `not-sent`: certain that it was not read. */
	| { readonly kind: "not-sent" | "unknown"; readonly reason: string; readonly detail: string };

/**
 * What an issuer's HTTP status says. Source: the authority's description of a receiver's services: 200 is good, 400 is not.
 * Gap: any other status is not the service's word; the same bytes go again.
 */
export function readIssuerStatus(status: number, text: string): SentAnswer {
	const messages = [{ code: `HTTP ${status}`, text: text.slice(0, 500) }];
	if (status === 200) return { kind: "taken", messages: [] };
	if (status === 400) return { kind: "refused", messages, mayBeOurs: false };
	const kind = status === 401 || status === 403 ? "not-sent" : "unknown";
	return { kind, reason: "issuer-http-error", detail: `HTTP ${status}` };
}
