/** The event feed as server-sent events, which goes on where it broke. Source: HTML Living Standard, section 9.2. */
import type { Client, Outgoing } from "./client";
import { ApiError, ConnectionError, TimeoutError } from "./errors";

export type StreamOptions = {
	/** `next` of a page, a `sequence`, or `latest`. Default: the oldest event that is kept. */
	after?: string | number;
	/** Names or families, separated by commas: `invoice.accepted,certificate.*`. */
	types?: string;
	signal?: AbortSignal;
};

/** The service writes at least every 15 seconds. */
const SILENCE_MAX_MS = 45_000;
const PAUSE_MAX_MS = 30_000;

/**
 * Iterating yields each event once, in order, for ever. It throws what the first connection throws, and later only what a repeat cannot repair,
 * such as a refused credential.
 */
export class EventStream<Event> implements AsyncIterable<Event> {
	/** Where to begin again: store it with your work, and pass it as `after`. Undefined before the first answer. */
	cursor: string | undefined;
	readonly #read: (stream: EventStream<Event>) => AsyncGenerator<Event>;

	constructor(client: Client, request: Request, options: StreamOptions) {
		this.#read = (stream) => readEvents(stream, client, request, options);
	}

	[Symbol.asyncIterator](): AsyncGenerator<Event> {
		return this.#read(this);
	}
}

type Request = Pick<Outgoing, "path" | "sendsKey" | "sendsToken">;

async function* readEvents<Event>(
	stream: EventStream<Event>,
	client: Client,
	request: Request,
	{ after, types, signal }: StreamOptions,
): AsyncGenerator<Event> {
	for (let failures = 0; ; ) {
		const { cursor } = stream;
		const query = new URLSearchParams({
			...(after === undefined || cursor !== undefined ? {} : { after: String(after) }),
			...(types === undefined ? {} : { types }),
		});
		const outgoing: Outgoing = {
			...request,
			...{ method: "GET", path: query.size > 0 ? `${request.path}?${query}` : request.path },
			headers: { accept: "text/event-stream", ...(cursor === undefined ? {} : { "last-event-id": cursor }) },
			...(signal ? { signal } : {}),
			...(cursor === undefined ? {} : { maxRetries: 0 }),
		};
		let retryAfter = 0;
		try {
			const body = await client.send(outgoing, async (answer) => answer.body ?? new Response("").body);
			for await (const message of readMessages(body as ReadableStream<Uint8Array>, signal)) {
				stream.cursor = message.id ?? stream.cursor;
				failures = 0;
				if (message.data !== undefined) yield JSON.parse(message.data) as Event;
			}
		} catch (error) {
			signal?.throwIfAborted();
			if (stream.cursor === undefined || !isPassing(error)) throw error;
			retryAfter = error instanceof ApiError ? (error.retryAfter ?? 0) : 0;
		}
		const pauseMs = Math.max(retryAfter * 1000, Math.min(PAUSE_MAX_MS, Math.random() * 500 * 2 ** failures++));
		await client.clock.sleep(pauseMs, signal);
	}
}

function isPassing(error: unknown): boolean {
	if (error instanceof ApiError) return error.status === 408 || error.status === 429 || error.status >= 500;
	return error instanceof ConnectionError || error instanceof TimeoutError;
}

type Message = { id?: string; data?: string };

/** Ends with the stream, and when it is silent for too long. */
async function* readMessages(
	body: ReadableStream<Uint8Array>,
	signal: AbortSignal | undefined,
): AsyncGenerator<Message> {
	const reader = body.getReader();
	const leave = () => void reader.cancel().catch(() => undefined);
	signal?.addEventListener("abort", leave, { once: true });
	const decoder = new TextDecoder();
	let text = "";
	try {
		for (;;) {
			const silence = setTimeout(leave, SILENCE_MAX_MS);
			const { done, value } = await reader.read().finally(() => clearTimeout(silence));
			signal?.throwIfAborted();
			if (done) return;
			text += decoder.decode(value, { stream: true });
			const messages = text.split(/\r?\n\r?\n/);
			text = messages.pop() ?? "";
			for (const message of messages) yield readMessage(message);
		}
	} catch (error) {
		signal?.throwIfAborted();
		throw new ConnectionError("The stream broke.", { cause: error });
	} finally {
		signal?.removeEventListener("abort", leave);
		leave();
	}
}

function readMessage(text: string): Message {
	const message: Message = {};
	for (const line of text.split(/\r?\n/)) {
		const [, field, value = ""] = /^(\w+): ?(.*)$/.exec(line) ?? [];
		if (field === "id") message.id = value;
		if (field === "data") message.data = message.data === undefined ? value : `${message.data}\n${value}`;
	}
	return message;
}
