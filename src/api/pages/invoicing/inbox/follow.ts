/**
 * Follows a company's events from the hundred before on, over lines that end and refusals that pass.
 *
 * The feed is followed as a stream because each question counts as one poll, however long it waits: one line for a quarter of an hour takes 4 of
 * the demo's 120 an hour, long polling would take 144.
 */
import { type Message, Refusal, type Service } from "./service";
import type { Standing } from "./to-item";

export type Hearing = {
	/** A body, as webhooks would carry it. */
	readonly take: (body: string) => void;
	/** What was told before has been forgotten or is of another database: it begins anew. */
	readonly forget: () => void;
	readonly tell: (standing: Standing) => void;
};

export type Follower = {
	/** Follows until it is let go; called again it goes on from the same place, and not before it may ask. Throws: a Refusal for good. */
	readonly run: (gone: AbortSignal) => Promise<void>;
};

const BEFORE = 100;
/** The feed's name for the place before the oldest event that is kept: none at all. */
const OLDEST = "";
const RETRY_MS = 2_000;
const RETRY_MS_MAX = 60_000;
/** A line that ended sooner has cost a poll for little. */
const GOOD_LINE_MS = 60_000;
/** While all lines of the company are taken: two polls each time, the page and the line that is refused. */
const CROWDED_MS = 120_000;

export function createFollower(service: Service, hear: Hearing): Follower {
	let place: string | undefined;
	let askAt = 0;
	let failures = 0;
	/** The refusal's sentence while all lines are taken. */
	let crowded: string | undefined;

	const waitFor = (ms: number, why?: string): void => {
		askAt = performance.now() + ms;
		hear.tell({ is: "waiting", until: new Date(Date.now() + ms), ...(why === undefined ? {} : { why }) });
	};
	const nextRetryMs = () => Math.min(RETRY_MS * 2 ** failures++, RETRY_MS_MAX);
	const hearMessage = ({ id, body }: Message): void => {
		place = id;
		if (body !== undefined) hear.take(body);
	};

	const findBeginning = async (gone: AbortSignal): Promise<string> => {
		const newest = await service.findNewest(gone);
		return newest > BEFORE ? String(newest - BEFORE) : OLDEST;
	};

	const followLine = async (gone: AbortSignal): Promise<void> => {
		place ??= await findBeginning(gone);
		const line = await service.openLine(place, gone);
		hear.tell({ is: "following" });
		const openedAt = performance.now();
		try {
			for await (const message of line) hearMessage(message);
		} finally {
			if (performance.now() - openedAt >= GOOD_LINE_MS) failures = 0;
		}
		askAt = performance.now() + nextRetryMs();
	};

	const readPage = async (gone: AbortSignal): Promise<void> => {
		for (const message of await service.readPage(place ?? OLDEST, gone)) hearMessage(message);
		waitFor(CROWDED_MS, crowded);
		crowded = undefined;
	};

	/** When to ask again, and how. Throws what asking again does not mend. */
	const mend = (error: unknown): void => {
		if (!(error instanceof Refusal)) {
			// Nobody has answered.
			waitFor(nextRetryMs());
			return;
		}
		const { status, message, policy, retryAfterSeconds } = error;
		if (status === 410 && place !== OLDEST) {
			place = OLDEST;
			hear.forget();
			return;
		}
		if (status !== 429 && status < 500) throw error;
		crowded = policy === "open-lines" ? message : undefined;
		waitFor(Math.max((retryAfterSeconds ?? 0) * 1_000, nextRetryMs()), message);
	};

	return {
		async run(gone) {
			while (!gone.aborted) {
				await pause(askAt - performance.now(), gone);
				if (gone.aborted) return;
				try {
					await (crowded === undefined ? followLine : readPage)(gone);
				} catch (error) {
					if (!gone.aborted) mend(error);
				}
			}
		},
	};
}

function pause(ms: number, gone: AbortSignal): Promise<void> {
	if (ms <= 0 || gone.aborted) return Promise.resolve();
	return new Promise((resolve) => {
		const timer = setTimeout(resolve, ms);
		gone.addEventListener("abort", () => {
			clearTimeout(timer);
			resolve();
		});
	});
}
