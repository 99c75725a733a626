/** The client: a method for each operation of the service. */
import {
	type CallOptions,
	Client,
	type ClientOptions,
	type Outgoing,
	type Plan,
	readJson,
	readPlan,
	storedDocument,
} from "./client";
import { TimeoutError } from "./errors";
import type {
	Acknowledgement,
	DryRun,
	InvoiceStatus,
	InvoicesMethods,
	ListEventsAnswer,
	Resources,
	WebhookEvent,
} from "./generated";
import { PLANS } from "./generated";
import { FileResult, PageResult } from "./results";
import { EventStream, type StreamOptions } from "./stream";
import { type VerifyOptions, verifyWebhook, type WebhookHeaders } from "./webhooks";

export type WaitOptions = {
	/** Milliseconds. Default: 60,000. */
	timeoutMs?: number;
	signal?: AbortSignal;
};

export type RequestOptions = CallOptions & {
	query?: Record<string, string | number | boolean>;
	/** Sent as JSON. */
	body?: unknown;
	/** A UUID v4, for operations that take one. */
	idempotencyKey?: string;
};

type CreateOptions = NonNullable<Parameters<InvoicesMethods["create"]>[1]>;
type InvoiceBody = Parameters<InvoicesMethods["create"]>[0];

export type Invoices = Omit<InvoicesMethods, "create"> & {
	/** Issues an invoice. Throws a RejectedError if the authority rejects it while `wait` lasts. */
	create(body: InvoiceBody, options?: CreateOptions & { dry_run?: false }): Promise<Acknowledgement>;
	/** Checks and signs it, and stores nothing. */
	create(body: InvoiceBody, options: CreateOptions & { dry_run: true }): Promise<DryRun>;
	/** Waits until the document is accepted, rejected or failed, and returns its status. Throws a TimeoutError. */
	waitFor(docId: string, options?: WaitOptions): Promise<InvoiceStatus>;
};

/** An event of the feed: the body of its webhook, with an id. */
export type FeedEvent = ListEventsAnswer["events"][number];
type Streamed = {
	/** Each event once, in order, for ever; the connection is made again when it breaks. */
	stream(options?: StreamOptions): EventStream<FeedEvent>;
};

export interface Sello extends Omit<Resources, "invoices" | "events" | "registryEvents"> {
	invoices: Invoices;
	events: Resources["events"] & Streamed;
	registryEvents: Resources["registryEvents"] & Streamed;
}

type Method = (...given: unknown[]) => unknown;

const WAIT_MS = 60_000;
const POLL_FIRST_MS = 500;
const POLL_MAX_MS = 10_000;

// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the methods come from the table of operations.
export class Sello {
	static readonly webhooks = {
		/** Verifies a webhook and returns its event; `rawBody` is what arrived, before any parser. Throws a SignatureError. */
		verify: (
			rawBody: string | Uint8Array | ArrayBuffer,
			headers: WebhookHeaders,
			secrets: readonly string[],
			options?: VerifyOptions,
		): Promise<WebhookEvent> => verifyWebhook(rawBody, headers, secrets, options),
	};

	readonly #client: Client;

	/** Throws a SelloError without an address, and for a key or secret in a browser. */
	constructor(options: ClientOptions = {}) {
		const client = new Client(options);
		this.#client = client;
		const resources: Record<string, Record<string, Method>> = {};
		for (const [resource, plans] of Object.entries(PLANS)) {
			const methods: Record<string, Method> = {};
			for (const [verb, text] of Object.entries(plans)) methods[verb] = toMethod(client, readPlan(text));
			resources[resource] = methods;
		}
		const { invoices, events, registryEvents } = resources;
		if (!invoices || !events || !registryEvents) throw new Error("the table of operations is incomplete");
		const issue = invoices.create as (...given: unknown[]) => Promise<unknown>;
		const read = invoices.get as (docId: string) => Promise<{ createdAt: string }>;
		invoices.create = (...given) =>
			issue(...given).catch(async (error: unknown) => {
				const docId = storedDocument(error);
				if (docId === undefined) throw error;
				const document = await read(docId);
				return { ...document, receivedAt: document.createdAt };
			});
		const readStatus = invoices.getStatus as (docId: string, options: unknown) => Promise<InvoiceStatus>;
		invoices.waitFor = (docId, wait) => waitFor(client, readStatus, String(docId), (wait ?? {}) as WaitOptions);
		for (const feed of [
			{ methods: events, path: "/v1/events", sendsToken: true },
			{ methods: registryEvents, path: "/v1/authority/events", sendsToken: false },
		]) {
			const { methods, path, sendsToken } = feed;
			methods.stream = (given) =>
				new EventStream(client, { path, sendsToken, sendsKey: true }, (given ?? {}) as StreamOptions);
		}
		Object.assign(this, resources);
	}

	/** Calls an operation that this version does not know, under the same rules. A POST is repeated after a failure only with a key. */
	async request(
		method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
		path: string,
		options: RequestOptions = {},
	): Promise<unknown> {
		const { query, body, idempotencyKey, ...others } = options;
		const parameters = new URLSearchParams();
		for (const [name, value] of Object.entries(query ?? {})) parameters.set(name, String(value));
		const outgoing: Outgoing = {
			...{ method, path: parameters.size > 0 ? `${path}?${parameters}` : path, sendsKey: true, sendsToken: true },
			headers: {
				accept: "application/json",
				...(body === undefined ? {} : { "content-type": "application/json; charset=utf-8" }),
				...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
			},
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
			...(idempotencyKey === undefined ? {} : { idempotencyKey }),
			...others,
		};
		return this.#client.send(outgoing, readJson);
	}
}

function toMethod(client: Client, plan: Plan): Method {
	if (plan.result === "file") return (...given) => client.send(client.prepare(plan, given), FileResult.read);
	if (plan.result === "json") return async (...given) => client.send(client.prepare(plan, given), readJson);
	// Options follow path and body; of the lists none has a body.
	const at = (plan.path.match(/\{/g) ?? []).length;
	return (...given) => {
		const read = async (after: string | undefined) => {
			const all =
				after === undefined ? given : [...given.slice(0, at), { ...(given[at] as object | undefined), after }];
			return client.send(client.prepare(plan, all), readJson);
		};
		return new PageResult(read, plan.further);
	};
}

/** The pauses grow to ten seconds, since polls are limited by hour. */
async function waitFor(
	{ clock }: Client,
	readStatus: (docId: string, options: unknown) => Promise<InvoiceStatus>,
	docId: string,
	{ timeoutMs = WAIT_MS, signal }: WaitOptions,
): Promise<InvoiceStatus> {
	const deadline = clock.now() + timeoutMs;
	for (let pauseMs = POLL_FIRST_MS; ; pauseMs = Math.min(POLL_MAX_MS, pauseMs * 2)) {
		const status = await readStatus(docId, { signal });
		if (status.status !== "pending") return status;
		const leftMs = deadline - clock.now();
		if (leftMs <= 0) throw new TimeoutError(`${docId} was still pending after ${timeoutMs} ms.`, { docId });
		await clock.sleep(Math.min(pauseMs, leftMs), signal);
	}
}
