/** The state of a request from arrival to answer. */
import type { LimitHeaders } from "../../identity/rate-limits";
import type { Call } from "../../platform/operation";
import { newId } from "../../platform/values";

export type RequestState = {
	readonly requestId: string;
	/** Units: milliseconds of `performance.now`. */
	readonly startedAt: number;
	/** Undefined if host and path form no valid URL: the runtime accepts any Host header. */
	readonly url: URL | undefined;
	/** Set once the operation is known; the caller is added later. */
	call?: Call;
	limits?: LimitHeaders | undefined;
	/** Since when, in the units of `startedAt`, the client waits for our answer; undefined while its body is arriving. */
	waitsSince: number | undefined;
	items: number;
	/** Those of them that are billed. */
	billable: number;
	/** The OAuth client that the request names, whether or not it has proven itself. */
	clientId?: string;
};

export function beginRequest(request: Request): RequestState {
	const sent = request.headers.get("x-request-id");
	const requestId = sent !== null && clientRequestId.test(sent) ? sent : newId();
	const startedAt = performance.now();
	return {
		requestId,
		startedAt,
		waitsSince: startedAt,
		url: URL.parse(request.url) ?? undefined,
		items: 0,
		billable: 0,
	};
}

/** The path for a problem document's `instance`. */
export function pathOf(state: RequestState | undefined): string {
	return state?.url?.pathname ?? "/";
}

/** Accepted values of a caller's `X-Request-Id`; others are replaced by our own id. */
export const clientRequestId = /^[A-Za-z0-9._-]{8,64}$/;
