/** What a tenant is told, and in which bytes. */
import type { EventName } from "../endpoints";

export { type EventName, EXTRA_EVENTS, SPECIFIED_EVENTS, wantsEvent } from "../endpoints";

/** Something that happened, before it has its place in the tenant's sequence. */
export type NewEvent = {
	readonly event: EventName;
	readonly tenantId: string;
	/** The document, or for an event without one the id of what it is about. */
	readonly docId: string;
	readonly trackId: string;
	readonly occurredAt: Date;
	/** The document's version that the event tells of: a receiver drops what is older than what it has. */
	readonly docVersion?: number;
	readonly encf?: string;
	readonly clientRequestId?: string | null;
	readonly status?: string;
	/** The authority's rejection code. */
	readonly authorityCode?: string;
	/** Of `sequence.low`: how many numbers of the type are left, and under which percentage that is. */
	readonly low?: { readonly type: string; readonly available: number; readonly percent: number };
	/** Which certificate ends, and when. */
	readonly certificate?: { readonly thumbprint: string; readonly notAfter: string; readonly daysLeft: number };
	/** Of `email.bounced` and `email.failed`: which mail, to whom, and why. */
	readonly email?: {
		readonly emailId: string;
		readonly recipient: string;
		readonly status: string;
		readonly reason: string | null;
	};
	/** Which endpoint was disabled, and why. */
	readonly webhook?: { readonly id: string; readonly url: string; readonly reason: string };
	/** Of `certification.completed`: which run of the test set ended, and whether the authority has judged it or a simulator. */
	readonly certification?: { readonly mode: string; readonly run: number };
	/** Of `document.received`: what is known of it when it comes, `unproven`, or `contested` when another one came under its number. */
	readonly proof?: string;
	/** Of `approval.received`: the buyer's word on the document. */
	readonly approval?: { readonly id: string; readonly decision: string; readonly reason: string | null };
	/** Of `invoice.delivered` and `invoice.undelivered`: how the document's way to its buyer ended, and the buyer's motive. */
	readonly delivery?: { readonly state: string; readonly buyerRnc: string; readonly motive?: number };
	/** Of `authority.status_changed`: which of the authority's environments, what it was before, and whether documents are issued in contingency now. */
	readonly authorityStatus?: {
		readonly authorityEnvironment: string;
		readonly from: string;
		readonly contingency: boolean;
	};
	/** Where a rejected request would have to change. */
	readonly fix?: readonly { readonly op: string; readonly path: string; readonly value: string }[];
};

const BODY_BYTES_MAX = 8_192;
/** Of an endpoint's URL. Its 2,000 characters may be four bytes each, and an endpoint whose event is too long could never be disabled. */
const URL_BYTES_MAX = 4_096;

/** The body of an event: the specification's five members first, then ours. */
export function toEventBody(event: NewEvent, sequence: number): string {
	const { event: name, docId, trackId, tenantId, occurredAt, docVersion, encf, clientRequestId, status } = event;
	const body = JSON.stringify({
		event: name,
		docId,
		trackId,
		tenantId,
		occurredAt: occurredAt.toISOString(),
		sequence,
		...(docVersion === undefined ? {} : { docVersion }),
		...(encf === undefined ? {} : { encf }),
		...(clientRequestId ? { client_request_id: clientRequestId } : {}),
		...(status === undefined ? {} : { status }),
		...(event.authorityCode === undefined ? {} : { authority: { code: event.authorityCode } }),
		...(event.low === undefined ? {} : { low: event.low }),
		...(event.certificate === undefined ? {} : { certificate: event.certificate }),
		...(event.email === undefined ? {} : { email: event.email }),
		...(event.webhook === undefined ? {} : { webhook: { ...event.webhook, url: cutUrl(event.webhook.url) } }),
		...(event.certification === undefined ? {} : { certification: event.certification }),
		...(event.proof === undefined ? {} : { proof: event.proof }),
		...(event.approval === undefined ? {} : { approval: event.approval }),
		...(event.delivery === undefined ? {} : { delivery: event.delivery }),
		...(event.authorityStatus === undefined ? {} : { authorityStatus: event.authorityStatus }),
		...(event.fix === undefined ? {} : { fix: event.fix }),
	});
	const bytes = Buffer.byteLength(body);
	if (bytes > BODY_BYTES_MAX) throw new RangeError(`the body of ${name} has ${bytes} bytes, over ${BODY_BYTES_MAX}`);
	return body;
}

/** Its first bytes, without a torn last character. */
function cutUrl(url: string): string {
	return new TextDecoder().decode(Buffer.from(url).subarray(0, URL_BYTES_MAX), { stream: true });
}
