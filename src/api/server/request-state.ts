/** What is known of a request from its arrival to its answer. */
import type { LimitHeaders } from "../../identity/rate-limits";
import type { Call } from "../../platform/operation";
import { newId } from "../../platform/values";

export type RequestState = {
	readonly requestId: string;
	/** Units: milliseconds of `performance.now`. */
	readonly startedAt: number;
	/** Undefined where path and host are no address together: the runtime takes what was sent as Host, which may be anything. */
	readonly url: URL | undefined;
	/** From the moment on that its operation is known; the caller is added when it is. */
	call?: Call;
	/** What the answer tells of the caller's limits. */
	limits?: LimitHeaders | undefined;
	/** Since when, in the units of `startedAt`, nothing has been missing but our answer; undefined while its body is on its way. */
	waitsSince: number | undefined;
	/** How many things a batch held. */
	items: number;
};

export function beginRequest(request: Request): RequestState {
	const sent = request.headers.get("x-request-id");
	const requestId = sent !== null && clientRequestId.test(sent) ? sent : newId();
	const startedAt = performance.now();
	return { requestId, startedAt, waitsSince: startedAt, url: URL.parse(request.url) ?? undefined, items: 0 };
}

/** The path as a problem document names it. */
export function pathOf(state: RequestState | undefined): string {
	return state?.url?.pathname ?? "/";
}

/** What a caller may send as `X-Request-Id`; anything else is replaced by an id of ours. */
export const clientRequestId = /^[A-Za-z0-9._-]{8,64}$/;
