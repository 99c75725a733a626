/**
 * What the page asks of the service: a token, and events. Nothing else, and nobody else: addresses are relative to the page's, since behind a proxy that
 * serves it under a path the host's root is of somebody else, who would be sent the secret.
 */

export type Caller = { readonly apiKey: string; readonly clientId: string; readonly clientSecret: string };

export type Service = {
	/** The number of the newest event; 0 before the first. */
	readonly findNewest: (gone: AbortSignal) => Promise<number>;
	/** Events after a place, or from the oldest kept, for as long as the line holds. */
	readonly openLine: (after: string, gone: AbortSignal) => Promise<AsyncGenerator<Message>>;
	/** The next thousand, at once. Their bodies are made again from the answer, which adds an id to each. */
	readonly readPage: (after: string, gone: AbortSignal) => Promise<readonly Message[]>;
};

/** The service has said no. Where a later try may help it has said when, or it is one of its own failures. */
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

/** Another one is asked for before it ends under a line. */
const RENEW_AT_SHARE = 0.75;

export function createService({ apiKey, clientId, clientSecret }: Caller): Service {
	let token: Token | undefined;

	const renew = async (gone: AbortSignal): Promise<Token> => {
		const answer = await ask("v1/auth/token", gone, {
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

	const askEvents = async (query: Record<string, string>, accept: string, gone: AbortSignal): Promise<Response> => {
		const path = `v1/events?${new URLSearchParams(query)}`;
		for (;;) {
			if (!token || performance.now() > token.renewAt) token = await renew(gone);
			const used = token;
			const headers = { accept, "x-api-key": apiKey, authorization: `Bearer ${used.text}` };
			try {
				const answer = await ask(path, gone, { headers });
				used.hasServed = true;
				return answer;
			} catch (error) {
				if (!(error instanceof Refusal) || error.status !== 401) throw error;
				token = undefined;
				// A fresh one that is refused will be refused again.
				if (!used.hasServed) throw error;
			}
		}
	};

	return {
		async findNewest(gone) {
			const answer = await askEvents({ after: "latest", limit: "1" }, "application/json", gone);
			return Number.parseInt(((await answer.json()) as EventPage).next, 10);
		},
		async openLine(after, gone) {
			const { body } = await askEvents(after === "" ? {} : { after }, "text/event-stream", gone);
			if (!body) throw new TypeError("the line has no body");
			return readMessages(body);
		},
		async readPage(after, gone) {
			const answer = await askEvents({ limit: "1000", ...(after === "" ? {} : { after }) }, "application/json", gone);
			const { events, next } = (await answer.json()) as EventPage;
			const told = events.map(({ id: _, ...body }) => ({ id: next, body: JSON.stringify(body) }));
			return [...told, { id: next, body: undefined }];
		},
	};
}

/** Throws: Refusal; whatever the browser throws when nobody answers. */
async function ask(path: string, gone: AbortSignal, init: RequestInit): Promise<Response> {
	const answer = await fetch(path, { ...init, signal: gone, cache: "no-store", credentials: "omit" });
	if (answer.ok) return answer;
	const { title, detail, policy } = (await answer.json().catch(() => ({}))) as Record<string, unknown>;
	const told = [detail, title].find((text) => typeof text === "string" && text !== "");
	const seconds = Number(answer.headers.get("retry-after") ?? Number.NaN);
	throw new Refusal(
		answer.status,
		`${told ?? ""} (${answer.status})`.trim(),
		Number.isFinite(seconds) ? seconds : undefined,
		policy,
	);
}

/** Reads our own server-sent events from a stream of bytes: a line each of `id`, `event` and `data`, as `webhooks/feed/stream.ts` writes them. */

export type Message = {
	/** Where to go on. */
	readonly id: string;
	/** The very text that a webhook's body would be; undefined in a sign of life. */
	readonly body: string | undefined;
};

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
			// What has no end yet waits for more.
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
