/** The attempts that a lane runs, and those that ended while it read. */
import { withTimeout } from "../concurrency";
import type { Sql } from "../database";
import type { Message } from "./message";
import { markBusy } from "./store";
import type { LoggedDocument } from "./work-log";

/** A message that runs for longer is marked. */
export const BUSY_AFTER_MS = 1_000;

export type Attempt = {
	readonly message: Message;
	readonly document: LoggedDocument | undefined;
	readonly startedAtMs: number;
	/** When it was last marked as busy. */
	markedAtMs: number;
	/** When its message was first read again under another hold. */
	lostAtMs: number | undefined;
	work: Promise<void>;
};

type AttemptOptions = {
	readonly sql: Sql;
	readonly leaseSeconds: number;
	/** How long a message waits for a lost attempt that still runs here. */
	readonly lostAwaitedMs: number;
};

export function createAttempts({ sql, leaseSeconds, lostAwaitedMs }: AttemptOptions) {
	/** By the message's id. */
	const running = new Map<string, Attempt>();
	const past = createPast();
	return {
		add: (attempt: Attempt) => running.set(attempt.message.id, attempt),
		end: (attempt: Attempt) => {
			const { id } = attempt.message;
			if (running.get(id) === attempt) running.delete(id);
			past.note(id);
		},
		listMessages: () => [...running.values()].map(({ message }) => message),
		openReading: past.open,
		hasEndedSince: past.hasEndedSince,
		/** A lost attempt that hangs delays the message for a while, not for ever; its writes are fenced. */
		isUnderWay: (id: string, term: number): boolean => {
			const attempt = running.get(id);
			if (!attempt) return false;
			if (attempt.message.hold.term === term) return true;
			const nowMs = performance.now();
			attempt.lostAtMs ??= nowMs;
			return nowMs - attempt.lostAtMs < lostAwaitedMs;
		},
		markBusy: async (): Promise<void> => {
			const nowMs = performance.now();
			const due = [...running.values()].filter(({ startedAtMs, markedAtMs, document }) => {
				return (
					!document &&
					nowMs - startedAtMs > BUSY_AFTER_MS &&
					(markedAtMs === startedAtMs || nowMs - markedAtMs > leaseSeconds * 333)
				);
			});
			if (due.length === 0) return;
			for (const attempt of due) attempt.markedAtMs = nowMs;
			const messages = due.map(({ message }) => message);
			await markBusy(sql, messages, leaseSeconds).catch(() => undefined);
		},
		whenEnded: (which: (message: Message) => boolean, limitMs: number) =>
			withTimeout(
				Promise.allSettled([...running.values()].filter(({ message }) => which(message)).map(({ work }) => work)),
				limitMs,
				() => undefined,
			),
	};
}

/** What has ended while something was read: its rows are of before. */
function createPast() {
	/** By the steady clock, the oldest first. */
	const ended = new Map<string, number>();
	const open = new Set<{ readonly openedAtMs: number }>();
	return {
		note: (id: string) => {
			ended.delete(id);
			if (open.size > 0) ended.set(id, performance.now());
		},
		hasEndedSince: (id: string, openedAtMs: number) => (ended.get(id) ?? Number.NEGATIVE_INFINITY) >= openedAtMs,
		open: () => {
			const reading = { openedAtMs: performance.now() };
			open.add(reading);
			return {
				...reading,
				close: () => {
					open.delete(reading);
					const oldest = Math.min(...[...open].map(({ openedAtMs }) => openedAtMs));
					for (const [id, endedAtMs] of ended) {
						if (endedAtMs >= oldest) break;
						ended.delete(id);
					}
				},
			};
		},
	};
}
