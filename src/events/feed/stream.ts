/**
 * The feed as server-sent events. Source: HTML Living Standard, section 9.2.
 *
 *   id: 48213-55667788            the position: a client sends the last one it has as `Last-Event-ID`
 *   event: invoice.accepted
 *   data: {"event":…}             the body that webhooks get, one line
 *
 * The stream first sends its position. Without it, a connection that breaks before the first event would start over, and `latest` would then mean
 * another position. A lone `id` every fifteen seconds keeps proxies from closing the connection. It also moves the client past events that its
 * filter excludes, so that its position does not expire. The stream ends when the caller leaves, the service drains, 15 minutes are over, or one of
 * its credentials ends. Clients reconnect by themselves, to a process that keeps running and checks their credentials again.
 */
import type { Call } from "../../platform/operation";
import { type Cursor, cursorOf, formatCursor } from "./cursor";
import type { FeedRow } from "./store";

export const SSE = "text/event-stream";

/** True if `Accept` names streams and ranks them no lower than JSON. Source: RFC 9110, 12.5.1. */
export function wantsStream(call: Call): boolean {
	const ranges = (call.request.headers.get("accept") ?? "").split(",").map((range) => {
		const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
		const quality = parameters.find((parameter) => parameter.startsWith("q="));
		return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) };
	});
	const qualityOf = (type: string) => ranges.find((range) => range.type === type)?.quality;
	const ofStream = qualityOf(SSE) ?? 0;
	// The most specific range decides.
	return (
		ofStream > 0 && ofStream >= (qualityOf("application/json") ?? qualityOf("application/*") ?? qualityOf("*/*") ?? 0)
	);
}

type FeedReader = {
	/** The next events after a position, and the position to continue from. Waits for an event for a while. */
	readonly next: (after: Cursor, gone: AbortSignal) => Promise<{ rows: readonly FeedRow[]; after: Cursor }>;
	/** True if the service drains, the stream is old enough, or a credential of the caller ended. */
	readonly isOver: () => Promise<boolean>;
};

const HEARTBEAT_MS = 15_000;
const RECONNECT_MS = 2_000;

/** Calls `onEnd` when the stream is over, for whatever reason. Reads no further ahead than the caller consumes. */
export function streamFeed(
	reader: FeedReader,
	from: Cursor,
	gone: AbortSignal,
	onEnd: () => void,
): ReadableStream<Uint8Array> {
	const encoder = new TextEncoder();
	let after = from;
	let sentAt = performance.now();
	return new ReadableStream({
		start: (controller) => controller.enqueue(encoder.encode(`retry: ${RECONNECT_MS}\n${toPosition(from)}`)),
		async pull(controller) {
			try {
				while (!gone.aborted && !(await reader.isOver())) {
					const page = await reader.next(after, gone);
					after = page.after;
					const isDue = performance.now() - sentAt >= HEARTBEAT_MS;
					if (page.rows.length === 0 && !isDue) continue;
					sentAt = performance.now();
					if (!gone.aborted) controller.enqueue(encoder.encode(page.rows.map(toMessage).join("") || toPosition(after)));
					return;
				}
				if (!gone.aborted) controller.enqueue(encoder.encode(toPosition(after)));
				onEnd();
				controller.close();
			} catch (error) {
				// The connection breaks and the client reconnects.
				onEnd();
				controller.error(error);
			}
		},
		cancel: onEnd,
	});
}

/** Not an event: a client only stores the id. */
function toPosition(after: Cursor): string {
	return `id: ${formatCursor(after)}\n\n`;
}

/** A body is JSON without line breaks, so it fits one `data` line. */
function toMessage({ id, sequence, event, body }: FeedRow): string {
	return `id: ${formatCursor(cursorOf(sequence, id))}\nevent: ${event}\ndata: ${body}\n\n`;
}
