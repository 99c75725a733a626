/** How a stream of the feed ends, and the position that it leaves its client with. */
import { expect, test } from "bun:test";
import { type Cursor, cursorOf } from "../../../src/events/feed/cursor";
import { streamFeed } from "../../../src/events/feed/stream";

const row = { id: "0192f190-7a00-7b11-9c22-334455667788", sequence: 4, event: "a.b", body: '{"sequence":4}' };

test("a stream that reaches its time limit ends once, with its last position", async () => {
	let [ends, looks] = [0, 0];
	const next = async (after: Cursor) => {
		looks++;
		const isFirst = after.sequence === 3;
		return { rows: isFirst ? [row] : [], after: cursorOf(isFirst ? 4 : 9, row.id) };
	};
	const [from, gone] = [cursorOf(3, null), new AbortController().signal];
	const stream = streamFeed({ next, isOver: async () => looks === 3 }, from, gone, () => ends++);
	const text = await new Response(stream).text();
	expect(text).toBe('retry: 2000\nid: 3\n\nid: 4-55667788\nevent: a.b\ndata: {"sequence":4}\n\nid: 9-55667788\n\n');
	expect(ends).toBe(1);
});
