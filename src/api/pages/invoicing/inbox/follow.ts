/**
 * Follows a company's events, from the hundred before it started, across connections that end and refusals that pass.
 *
 * It uses the event stream because each request counts as one poll, however long it waits. A connection of a quarter of an hour takes 4 of the demo's
 * 120 polls an hour; long polling would take 144.
 */
import { type Message, Refusal, type Service } from "./service";
import type { ConnectionState } from "./to-item";

export type EventSink = {
	/** Takes the body of an event, as a webhook would carry it. */
	readonly take: (body: string) => void;
	/** Called before it starts again: earlier events were deleted, or belong to another database. */
	readonly forget: () => void;
	readonly report: (state: ConnectionState) => void;
};

export type Follower = {
	/** Follows until `signal` aborts; a further call continues from the same cursor, after any wait that is due. Throws: a Refusal that is final. */
	readonly run: (signal: AbortSignal) => Promise<void>;
};

const BEFORE = 100;
/** The cursor before the oldest event that is kept. */
const OLDEST = "";
const RETRY_MS = 2_000;
const RETRY_MS_MAX = 60_000;
/** A connection that ended sooner was hardly worth its poll. */
const GOOD_CONNECTION_MS = 60_000;
/** While all connections of the company are in use. Each time costs two polls: the page, and the connection that is refused. */
const CROWDED_MS = 120_000;

export function createFollower(service: Service, sink: EventSink): Follower {
	let cursor: string | undefined;
	let nextAt = 0;
	let failures = 0;
	/** The refusal's message while all connections are in use. */
	let crowded: string | undefined;

	const waitFor = (ms: number, why?: string): void => {
		nextAt = performance.now() + ms;
		sink.report({ is: "waiting", until: new Date(Date.now() + ms), ...(why === undefined ? {} : { why }) });
	};
	const nextRetryMs = () => Math.min(RETRY_MS * 2 ** failures++, RETRY_MS_MAX);
	const takeMessage = ({ id, body }: Message): void => {
		cursor = id;
		if (body !== undefined) sink.take(body);
	};

	const findStart = async (signal: AbortSignal): Promise<string> => {
		const newest = await service.findNewest(signal);
		return newest > BEFORE ? String(newest - BEFORE) : OLDEST;
	};

	const followStream = async (signal: AbortSignal): Promise<void> => {
		cursor ??= await findStart(signal);
		const stream = await service.openStream(cursor, signal);
		sink.report({ is: "following" });
		const openedAt = performance.now();
		try {
			for await (const message of stream) takeMessage(message);
		} finally {
			if (performance.now() - openedAt >= GOOD_CONNECTION_MS) failures = 0;
		}
		nextAt = performance.now() + nextRetryMs();
	};

	const readPage = async (signal: AbortSignal): Promise<void> => {
		for (const message of await service.readPage(cursor ?? OLDEST, signal)) takeMessage(message);
		waitFor(CROWDED_MS, crowded);
		crowded = undefined;
	};

	/** Decides when and how to try again. Throws errors that a retry does not fix. */
	const recover = (error: unknown): void => {
		if (!(error instanceof Refusal)) {
			// No answer.
			waitFor(nextRetryMs());
			return;
		}
		const { status, message, policy, retryAfterSeconds } = error;
		if (status === 410 && cursor !== OLDEST) {
			cursor = OLDEST;
			sink.forget();
			return;
		}
		if (status !== 429 && status < 500) throw error;
		crowded = policy === "open-lines" ? message : undefined;
		waitFor(Math.max((retryAfterSeconds ?? 0) * 1_000, nextRetryMs()), message);
	};

	return {
		async run(signal) {
			while (!signal.aborted) {
				await pause(nextAt - performance.now(), signal);
				if (signal.aborted) return;
				try {
					await (crowded === undefined ? followStream : readPage)(signal);
				} catch (error) {
					if (!signal.aborted) recover(error);
				}
			}
		},
	};
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
	if (ms <= 0 || signal.aborted) return Promise.resolve();
	return new Promise((resolve) => {
		const timer = setTimeout(resolve, ms);
		signal.addEventListener("abort", () => {
			clearTimeout(timer);
			resolve();
		});
	});
}
