/** Writes events, and the messages of their deliveries, in the transaction of the change that they report. */
import type { Tx } from "../../platform/database";
import { appendFor, type LocalDispatch, type NewMessage, OUTBOX_KINDS } from "../../platform/outbox";
import { newId } from "../../platform/values";
import { type EventName, wantsEvent } from "../catalogue";
import { findSubscriptions, isMuted, type Subscription } from "../endpoints";
import { deliveryIdOf, insertEvents, type Numbers, takeNumbers } from "./store";

/** An event before it has its number in the tenant's sequence. */
export type NewEvent = {
	readonly event: EventName;
	readonly tenantId: string;
	/** The document's id. For an event without a document, the id of its subject. */
	readonly docId: string;
	readonly trackId: string;
	readonly occurredAt: Date;
	/** The document's version at this event. Receivers drop an event that is older than what they have. */
	readonly docVersion?: number;
	readonly encf?: string;
	readonly clientRequestId?: string | null;
	readonly status?: string;
	readonly authorityCode?: string;
	/** Of `sequence.low`: how many numbers of the type are left, and the threshold in percent that was reached. */
	readonly low?: { readonly type: string; readonly available: number; readonly percent: number };
	/** Of `certificate.*`: which certificate ends, and when. */
	readonly certificate?: { readonly thumbprint: string; readonly notAfter: string; readonly daysLeft: number };
	/** Of `email.*`: which e-mail, to which recipient, and why. */
	readonly email?: {
		readonly emailId: string;
		readonly recipient: string;
		readonly status: string;
		readonly reason: string | null;
	};
	/** Of `webhook.disabled`: which endpoint, and why. */
	readonly webhook?: { readonly id: string; readonly url: string; readonly reason: string };
	/** Of `certification.completed`: which run of the test set ended, and whether the authority or a simulator judged it. */
	readonly certification?: { readonly mode: string; readonly run: number };
	/** Of `document.received`: `unproven`, or `contested` if another document has the same number. */
	readonly proof?: string;
	/** Of `approval.received`: the buyer's decision. */
	readonly approval?: { readonly id: string; readonly decision: string; readonly reason: string | null };
	/** Of `invoice.delivered` and `invoice.undelivered`: how the delivery to the buyer ended, and the buyer's motive. */
	readonly delivery?: { readonly state: string; readonly buyerRnc: string; readonly motive?: number };
	/** Of `authority.status_changed`: the environment, its previous status, and whether documents are now issued in contingency. */
	readonly authorityStatus?: {
		readonly authorityEnvironment: string;
		readonly from: string;
		readonly contingency: boolean;
	};
	/** Of `invoice.prepared`: what waits for approval, and until when. */
	readonly prepared?: {
		readonly sha256: string;
		readonly type: string;
		readonly customerRnc: string | null;
		readonly currency: string;
		readonly total: string;
		readonly expiresAt: string;
	};
	/** Of `registry.*`: what a run changed of the numbers on watchlists. */
	readonly registry?: object;
	/** Of `invoice.rejected`: a patch of the request, and the places that need a decision. */
	readonly fix?: readonly { readonly op: string; readonly path: string; readonly value: string | number }[];
	readonly advice?: readonly { readonly pointer: string; readonly detail: string; readonly detailEs: string }[];
};

/** Writes one event and returns its number. Call it late in the transaction, as `enqueueEvents`. */
export async function enqueueEvent(tx: Tx, event: NewEvent): Promise<{ sequence: number }> {
	const [sequence] = await enqueueEvents(tx, [event]);
	if (sequence === undefined) throw new Error(`an event of tenant ${event.tenantId} got no number`);
	return { sequence };
}

/**
 * Writes events, and a message for each delivery to an enabled endpoint that wants them. `messages` are other messages of
 * the same transaction, which the dispatcher may continue with itself (`localDispatch`). Returns the events' numbers.
 *
 * Call it late in the transaction: other events of these tenants wait from here on until it ends.
 */
export async function enqueueEvents(
	tx: Tx,
	events: readonly NewEvent[],
	messages: readonly NewMessage[] = [],
	localDispatch?: LocalDispatch,
): Promise<number[]> {
	const numbers = await takeNumbers(tx, countByTenant(events));
	const subscriptions = await findCurrent(tx, numbers);
	const rows = events.map((event) => {
		const { tenantId, docId, docVersion = null, occurredAt } = event;
		const sequence = numbers.get(tenantId)?.sequences.shift();
		if (sequence === undefined) throw new Error(`an event of tenant ${tenantId} got no number`);
		const body = toEventBody(event, sequence);
		const endpointIds = (subscriptions.get(tenantId) ?? []).filter((one) => wantsEvent(one.events, event.event));
		// The id has the time by which the event is removed later.
		const of = { id: newId(occurredAt), tenantId, sequence, event: event.event, docId, docVersion, body };
		return { ...of, endpointIds: endpointIds.map(({ id }) => id) };
	});
	const toDeliver = rows.flatMap(({ id, tenantId, docId, endpointIds }) =>
		endpointIds.map((endpointId) => {
			return { kind: OUTBOX_KINDS.deliverWebhook, tenantId, subject: deliveryIdOf(tenantId, id, endpointId), docId };
		}),
	);
	await Promise.all([insertEvents(tx, rows), appendFor(tx, [...toDeliver, ...messages], localDispatch)]);
	return rows.map((row) => row.sequence);
}

type Subscriptions = readonly Subscription[];

/** The last known subscriptions of tenants; a version names one state of one tenant's endpoints for ever, so an entry is never wrong. */
const known = new Map<string, { readonly version: string; readonly subscriptions: Subscriptions }>();
const KNOWN_MAX = 10_000;

/** The subscriptions at this moment, by tenant: they cannot change while the transaction has the tenants' numbers. */
async function findCurrent(tx: Tx, numbers: ReadonlyMap<string, Numbers>): Promise<Map<string, Subscriptions>> {
	const current = new Map<string, Subscriptions>();
	const unknown = new Map<string, string>();
	for (const [tenantId, { version }] of numbers) {
		const last = known.get(tenantId);
		if (version !== null && last?.version !== version) unknown.set(tenantId, version);
		else if (version !== null && last) current.set(tenantId, last.subscriptions);
	}
	if (unknown.size === 0) return current;
	const found = await findSubscriptions(tx, [...unknown.keys()]);
	if (known.size + unknown.size > KNOWN_MAX) known.clear();
	for (const [tenantId, version] of unknown) {
		const subscriptions = found.filter((one) => one.tenantId === tenantId && !isMuted(one));
		known.set(tenantId, { version, subscriptions });
		current.set(tenantId, subscriptions);
	}
	return current;
}

function countByTenant(events: readonly NewEvent[]): Map<string, number> {
	const counts = new Map<string, number>();
	for (const { tenantId } of events) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1);
	return counts;
}

const BODY_BYTES_MAX = 8_192;
/**
 * Bytes of an endpoint's URL in an event. A URL's 2,000 characters may take four bytes each, and an endpoint whose event exceeded the limit of
 * the body could never be disabled.
 */
const URL_BYTES_MAX = 4_096;

/** The body of an event: the specification's five members first, then ours. Throws RangeError above 8 KiB. */
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
		...(event.prepared === undefined ? {} : { prepared: event.prepared }),
		...(event.registry === undefined ? {} : { registry: event.registry }),
		...(event.fix === undefined ? {} : { fix: event.fix }),
		...(event.advice === undefined ? {} : { advice: event.advice }),
	});
	const bytes = Buffer.byteLength(body);
	if (bytes > BODY_BYTES_MAX) throw new RangeError(`the body of ${name} has ${bytes} bytes, over ${BODY_BYTES_MAX}`);
	return body;
}

/** The first bytes of a URL, without a torn last character. */
function cutUrl(url: string): string {
	return new TextDecoder().decode(Buffer.from(url).subarray(0, URL_BYTES_MAX), { stream: true });
}
