/**
 * The feed as server-sent events. Source: HTML Living Standard, section 9.2.
 *
 *   id: 48213-55667788            where to go on: a client sends the last one it has as `Last-Event-ID`
 *   event: invoice.accepted
 *   data: {"event":…}             the body that webhooks get, one line
 *
 * The first thing told is where the stream begins: a line that breaks before anything has come would else begin anew, and `latest` then stands for
 * another place. An `id` alone every fifteen seconds keeps proxies from taking the line for dead, and moves the client's place over what does not pass
 * its filter: the place of a filter that nothing passes for weeks would else be forgotten before it is used. The stream ends when the caller
 * goes, the service drains, its quarter of an hour is over, or one of its credentials ends; clients connect again by themselves, to a
 * process that stays and asks for their credentials anew.
 */
import { type Place, placeOf, toCursor } from "./place";
import type { FeedRow } from "./store";

type FeedReader = {
	/** The next events after a place, and the place to go on from; waits for one for a while. */
	readonly next: (after: Place, gone: AbortSignal) => Promise<{ rows: readonly FeedRow[]; after: Place }>;
	/** The service drains, the line has been open long enough, or the caller may hear no more. */
	readonly isOver: () => Promise<boolean>;
};

const HEARTBEAT_MS = 15_000;
const RECONNECT_MS = 2_000;

/** `onEnd` is called when the stream is over, whoever ended it; more than the caller takes is not read ahead. */
export function streamFeed(
	reader: FeedReader,
	from: Place,
	gone: AbortSignal,
	onEnd: () => void,
): ReadableStream<Uint8Array> {
	const encoder = new TextEncoder();
	let after = from;
	let toldAt = performance.now();
	return new ReadableStream({
		start: (controller) => controller.enqueue(encoder.encode(`retry: ${RECONNECT_MS}\n${toPlaceAlone(from)}`)),
		async pull(controller) {
			try {
				while (!gone.aborted && !(await reader.isOver())) {
					const page = await reader.next(after, gone);
					after = page.after;
					const isDue = performance.now() - toldAt >= HEARTBEAT_MS;
					if (page.rows.length === 0 && !isDue) continue;
					toldAt = performance.now();
					if (!gone.aborted)
						controller.enqueue(encoder.encode(page.rows.map(toMessage).join("") || toPlaceAlone(after)));
					return;
				}
				if (!gone.aborted) controller.enqueue(encoder.encode(toPlaceAlone(after)));
				onEnd();
				controller.close();
			} catch (error) {
				// The line breaks and the client comes again.
				onEnd();
				controller.error(error);
			}
		},
		cancel: onEnd,
	});
}

/** Not an event: a client keeps the id and tells nobody. */
function toPlaceAlone(after: Place): string {
	return `id: ${toCursor(after)}\n\n`;
}

/** A body is JSON without line breaks, so it is one `data` line. */
function toMessage({ id, sequence, event, body }: FeedRow): string {
	return `id: ${toCursor(placeOf(sequence, id))}\nevent: ${event}\ndata: ${body}\n\n`;
}
