/** Parses server-sent events from a byte stream. Source: HTML Living Standard, section 9.2.6; `retry` and comments are ignored. */
export type FeedMessage = { readonly id: string; readonly event: string; readonly data: string };

export async function* readMessages(stream: AsyncIterable<Uint8Array>): AsyncGenerator<FeedMessage> {
	const decoder = new TextDecoder();
	let text = "";
	let id = "";
	for await (const chunk of stream) {
		text += decoder.decode(chunk, { stream: true }).replaceAll("\r\n", "\n");
		for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
			const fields = readFields(text.slice(0, end));
			text = text.slice(end + 2);
			id = fields.get("id") ?? id;
			const data = fields.get("data");
			if (data !== undefined) yield { id, event: fields.get("event") ?? "message", data };
		}
	}
}

function readFields(message: string): Map<string, string> {
	const fields = new Map<string, string>();
	for (const line of message.split("\n")) {
		const colon = line.indexOf(":");
		if (colon === 0) continue;
		const name = colon === -1 ? line : line.slice(0, colon);
		const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
		const before = name === "data" ? fields.get(name) : undefined;
		fields.set(name, before === undefined ? value : `${before}\n${value}`);
	}
	return fields;
}
