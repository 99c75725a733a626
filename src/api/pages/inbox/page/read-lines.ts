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
