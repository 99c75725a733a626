/**
 * Tells of handlers that failed: each one, unless many of a kind do, as while a store or a mail server is away and everything that waits for it
 * is tried again. Then a few a minute, and how many were passed over. What each message failed with stands in its row.
 */
import type { Log } from "../telemetry";
import type { Message } from "./message";

const SPAN_MS = 60_000;
const LINES_PER_SPAN = 10;

export type FailureLog = {
	readonly tell: (message: Pick<Message, "id" | "kind" | "subject">, error: unknown) => void;
};

/** `now` is the steady clock, in milliseconds. */
export function createFailureLog(log: Pick<Log, "error">, now = () => performance.now()): FailureLog {
	const spans = new Map<string, { endsAtMs: number; lines: number; passedOver: number }>();
	return {
		tell({ id, kind, subject }, error) {
			const last = spans.get(kind);
			const isOver = !last || last.endsAtMs <= now();
			const span = isOver ? { endsAtMs: now() + SPAN_MS, lines: 0, passedOver: 0 } : last;
			spans.set(kind, span);
			if (span.lines >= LINES_PER_SPAN) {
				span.passedOver++;
				return;
			}
			span.lines++;
			const passedOver = isOver && last?.passedOver ? { alsoFailed: last.passedOver } : {};
			log.error({ message: id, kind, subject, ...passedOver, err: error }, "a handler failed");
		},
	};
}
