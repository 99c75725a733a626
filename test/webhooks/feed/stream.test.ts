/** How a line of the feed ends, and the place that it leaves its client with. */
import { expect, test } from "bun:test";
import { streamFeed } from "../../../src/webhooks/feed/stream";

const row = (sequence: number) => ({
	id: crypto.randomUUID(),
	sequence,
	event: "a.b",
	body: `{"sequence":${sequence}}`,
});

test("a line whose time is over ends by itself, once, with the place up to which the feed was read", async () => {
	let [ends, looks] = [0, 0];
	const next = async (after: number) => {
		looks++;
		return { rows: after === 3 ? [row(4)] : [], after: after === 3 ? 4 : 9 };
	};
	const stream = streamFeed({ next, isOver: async () => looks === 3 }, 3, new AbortController().signal, () => ends++);
	const text = await new Response(stream).text();
	expect(text).toBe('retry: 2000\n\nid: 4\nevent: a.b\ndata: {"sequence":4}\n\nid: 9\n\n');
	expect(ends).toBe(1);
});
