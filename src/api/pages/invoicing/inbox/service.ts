/**
 * What the page requests from the service: a token and events. URLs are relative to the page: behind a proxy that serves it under a path, the host's root
 * may belong to another service, which must not get the secret.
 */

export type Caller = { readonly apiKey: string; readonly clientId: string; readonly clientSecret: string };

export type Service = {
	/** The number of the newest event; 0 before the first. */
	readonly findNewest: (signal: AbortSignal) => Promise<number>;
	/** Events after a cursor, or from the oldest that is kept, until the connection ends. */
	readonly openStream: (after: string, signal: AbortSignal) => Promise<AsyncGenerator<Message>>;
	/** The next thousand events in one answer. Their bodies are rebuilt without the id that the answer adds. */
	readonly readPage: (after: string, signal: AbortSignal) => Promise<readonly Message[]>;
};

/** A refusal of the service. A retry may help if it has `retryAfterSeconds` or a 5xx status. */
export class Refusal extends Error {
	constructor(
		readonly status: number,
		why: string,
		readonly retryAfterSeconds: number | undefined,
		readonly policy: unknown,
	) {
		super(why);
	}
}

type Token = { readonly text: string; readonly renewAt: number; hasServed: boolean };
type EventPage = { readonly events: readonly ({ readonly id: string } & object)[]; readonly next: string };

/** The token is renewed before it expires during a connection. */
const RENEW_AT_SHARE = 0.75;

export function createService({ apiKey, clientId, clientSecret }: Caller): Service {
	let token: Token | undefined;

	const renew = async (signal: AbortSignal): Promise<Token> => {
		const answer = await ask("v1/auth/token", signal, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify({
				...{ grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret },
				scope: "events:read",
			}),
		});
		const { access_token: text, expires_in: seconds } = (await answer.json()) as {
			access_token: string;
			expires_in: number;
		};
		return { text, renewAt: performance.now() + seconds * 1_000 * RENEW_AT_SHARE, hasServed: false };
	};

	const askEvents = async (query: Record<string, string>, accept: string, signal: AbortSignal): Promise<Response> => {
		const path = `v1/events?${new URLSearchParams(query)}`;
		for (;;) {
			if (!token || performance.now() > token.renewAt) token = await renew(signal);
			const used = token;
			const headers = { accept, "x-api-key": apiKey, authorization: `Bearer ${used.text}` };
			try {
				const answer = await ask(path, signal, { headers });
				used.hasServed = true;
				return answer;
			} catch (error) {
				if (!(error instanceof Refusal) || error.status !== 401) throw error;
				token = undefined;
				// A new token that is refused will be refused again.
				if (!used.hasServed) throw error;
			}
		}
	};

	return {
		async findNewest(signal) {
			const answer = await askEvents({ after: "latest", limit: "1" }, "application/json", signal);
			return Number.parseInt(((await answer.json()) as EventPage).next, 10);
		},
		async openStream(after, signal) {
			const { body } = await askEvents(after === "" ? {} : { after }, "text/event-stream", signal);
			if (!body) throw new TypeError("the stream has no body");
			return readMessages(body);
		},
		async readPage(after, signal) {
			const answer = await askEvents({ limit: "1000", ...(after === "" ? {} : { after }) }, "application/json", signal);
			const { events, next } = (await answer.json()) as EventPage;
			const messages = events.map(({ id: _, ...body }) => ({ id: next, body: JSON.stringify(body) }));
			return [...messages, { id: next, body: undefined }];
		},
	};
}

/** Throws: Refusal; the browser's error when the service does not answer. */
async function ask(path: string, signal: AbortSignal, init: RequestInit): Promise<Response> {
	const answer = await fetch(path, { ...init, signal: signal, cache: "no-store", credentials: "omit" });
	if (answer.ok) return answer;
	const { title, detail, policy } = (await answer.json().catch(() => ({}))) as Record<string, unknown>;
	const message = [detail, title].find((text) => typeof text === "string" && text !== "");
	const seconds = Number(answer.headers.get("retry-after") ?? Number.NaN);
	throw new Refusal(
		answer.status,
		`${message ?? ""} (${answer.status})`.trim(),
		Number.isFinite(seconds) ? seconds : undefined,
		policy,
	);
}

export type Message = {
	/** Cursor after this message. */
	readonly id: string;
	/** The exact body of a webhook; undefined in a heartbeat. */
	readonly body: string | undefined;
};

/** Reads server-sent events: a line each of `id`, `event` and `data`, as the event feed writes them. */
export async function* readMessages(stream: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
	const decoder = new TextDecoder();
	const reader = stream.getReader();
	let text = "";
	try {
		for (;;) {
			const { done, value } = await reader.read();
			if (done) return;
			text += decoder.decode(value, { stream: true });
			const parts = text.split("\n\n");
			// The last part is incomplete.
			text = parts.pop() ?? "";
			for (const part of parts) {
				const id = fieldOf(part, "id");
				if (id !== undefined) yield { id, body: fieldOf(part, "data") };
			}
		}
	} finally {
		reader.cancel().catch(() => undefined);
	}
}

function fieldOf(message: string, name: string): string | undefined {
	const prefix = `${name}: `;
	return message
		.split("\n")
		.find((line) => line.startsWith(prefix))
		?.slice(prefix.length);
}
