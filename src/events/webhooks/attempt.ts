/** One signed request to an endpoint: what a delivery, a probe and the test operation share. */
import type { Sql, Tx } from "../../platform/database";
import { type EgressPolicy, type PostOptions, type PostResult, postOnce } from "../../platform/egress";
import type { Plan } from "../../platform/operation";
import type { Envelope } from "../../platform/secrets";
import { currentSpan, inSpan, type Log, type Metrics } from "../../platform/telemetry";
import type { Clock, Environment } from "../../platform/values";
import { countCompanyVersion, disableEndpoint, openEndpointSecrets, type WebhookEndpoint } from "../endpoints";
import { enqueueEvent } from "./enqueue-event";
import { toDeliveryHeaders } from "./signature";
import type { Attempt } from "./store";

export type WebhooksDeps = {
	readonly sql: Sql;
	readonly envelope: Envelope;
	readonly policy: EgressPolicy;
	/** The real time: signatures never follow a test clock. */
	readonly clock: Clock;
	readonly log: Log;
	readonly metrics?: Pick<Metrics, "webhookBreakersOpen">;
	/** Narrower limits and another resolver than those of `postOnce`. */
	readonly limits?: Pick<PostOptions, "connectTimeoutMs" | "totalTimeoutMs" | "bytesMax" | "resolve">;
	/** Multiplies the delays of retries and probes: 1 except in tests and demonstrations. */
	readonly timeScale: number;
	/** Shortens the schedule of retries. */
	readonly retriesMax?: number;
	readonly random?: () => number;
	/** Notifies dispatchers that messages wait. */
	readonly wake: () => void;
	readonly findCompany: (
		tenantId: string,
	) => Promise<{ readonly environment: Environment; readonly plan: Plan } | undefined>;
};

type Requesting = Pick<WebhooksDeps, "envelope" | "policy" | "limits"> & Pick<PostOptions, "kept">;

type Request = {
	readonly deliveryId: string;
	readonly event: string;
	readonly body: string;
	/** 1 for the first. */
	readonly attempt: number;
	readonly at: Date;
	/** What the event is about, for its trace. */
	readonly docId?: string;
};

/** Sends one request, signed for this moment. Returns the result with the headers that were sent. */
export async function sendRequest(
	{ envelope, policy, limits, kept }: Requesting,
	endpoint: WebhookEndpoint,
	{ body: text, at, docId, ...request }: Request,
): Promise<{ readonly result: PostResult; readonly headers: Record<string, string> }> {
	const body = Buffer.from(text);
	const secrets = openEndpointSecrets(envelope, endpoint, at);
	const headers = toDeliveryHeaders({ ...request, secrets, body, at });
	const attributes = { "sello.event": request.event, "server.address": URL.parse(endpoint.url)?.host ?? "" };
	const span = { name: "webhook.post", kind: "client", attributes, ...(docId === undefined ? {} : { docId }) } as const;
	const result = await inSpan(span, async () => {
		const answer = await postOnce({ ...limits, ...(kept ? { kept } : {}), url: endpoint.url, headers, body, policy });
		if (answer.status !== undefined) currentSpan()?.set({ "http.response.status_code": answer.status });
		if (!answer.ok) currentSpan()?.fail(answer.error ?? String(answer.status));
		return answer;
	});
	return { result, headers };
}

export function toAttempt(at: Date, { durationMs, status, error, responseBody }: PostResult): Attempt {
	return { at, durationMs, responseStatus: status ?? null, error: error ?? null, responseBody };
}

/** An answer that ends an endpoint. */
export const GONE = 410;

/** The time that a receiver asked for with `Retry-After`, in seconds; counts for 429 and 503 only. */
export function requestedDelay(result: PostResult | undefined): number | undefined {
	return result?.status === 429 || result?.status === 503 ? result.retryAfterSeconds : undefined;
}

/** Disables an endpoint that answered 410 and sends `webhook.disabled` to the tenant. Call it under the company's lock. */
export async function disableGone(tx: Tx, { id, url, tenantId }: WebhookEndpoint, at: Date): Promise<void> {
	if (!(await disableEndpoint(tx, { id, tenantId }))) return;
	await countCompanyVersion(tx, tenantId);
	const webhook = { id, url, reason: "The endpoint answered 410 Gone." };
	await enqueueEvent(tx, { event: "webhook.disabled", tenantId, occurredAt: at, docId: id, trackId: id, webhook });
}
