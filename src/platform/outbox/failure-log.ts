/**
 * Tells of handlers that failed: each one, unless many of a kind do with the same error, as while a store or a mail server is away and everything that
 * waits for it is tried again. Then a few a minute, and at its end how many were passed over. What each message failed with stands in its row.
 */
import type { Log } from "../telemetry";
import type { Message } from "./message";

const SPAN_MS = 60_000;
const LINES_PER_SPAN = 10;

export type FailureLog = {
	readonly tell: (message: Pick<Message, "id" | "kind" | "subject">, error: unknown) => void;
	/** Tells at once how many were passed over so far, before the process ends. */
	readonly finish: () => void;
};

type Span = { lines: number; passedOver: number; readonly end: () => void };

export function createFailureLog(log: Pick<Log, "error">, spanMs = SPAN_MS): FailureLog {
	const spans = new Map<string, Span>();
	function begin(key: string, kind: string, sort: string): Span {
		const span: Span = { lines: 0, passedOver: 0, end };
		const timer = setTimeout(end, spanMs);
		timer.unref();
		function end(): void {
			clearTimeout(timer);
			spans.delete(key);
			if (span.passedOver > 0) log.error({ kind, sort, count: span.passedOver }, "further handlers failed");
		}
		spans.set(key, span);
		return span;
	}
	return {
		tell({ id, kind, subject }, error) {
			const sort = nameOf(error);
			const key = `${kind} ${sort}`;
			const span = spans.get(key) ?? begin(key, kind, sort);
			if (span.lines >= LINES_PER_SPAN) {
				span.passedOver++;
				return;
			}
			span.lines++;
			log.error({ message: id, kind, subject, err: error }, "a handler failed");
		},
		finish() {
			for (const span of [...spans.values()]) span.end();
		},
	};
}

/** Of few words: messages name documents. */
function nameOf(error: unknown): string {
	if (!(error instanceof Error)) return typeof error;
	return "code" in error ? `${error.name} ${String(error.code)}` : error.name;
}
