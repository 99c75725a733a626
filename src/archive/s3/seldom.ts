/**
 * The answer to a question that is asked seldom, however often it is wanted.
 *
 *   the last answer is   up to 15 s old   older: it is asked anew
 *   and is given         at once          where the new one is not there within a second, for as long as that one has been asked for less than five
 *
 * So whoever must answer soon, as health does, takes a store that is slow for what it was and not for one that is away.
 */

import { withTimeout } from "../../platform/concurrency";

const ASKED_AGAIN_MS = 15_000;
const SOON_MS = 1_000;
const HANGS_AFTER_MS = 5_000;

type Limits = { readonly soonMs?: number; readonly now?: () => number };

/** `ask` never rejects. `now` is the steady clock, in milliseconds. */
export function askSeldom<T>(
	ask: () => Promise<T>,
	{ soonMs = SOON_MS, now = () => performance.now() }: Limits = {},
): () => Promise<T> {
	let last: { readonly answer: T; readonly atMs: number } | undefined;
	let asking: { readonly answer: Promise<T>; readonly sinceMs: number } | undefined;
	const askNow = async (): Promise<T> => {
		const answer = await ask();
		last = { answer, atMs: now() };
		asking = undefined;
		return answer;
	};
	return async () => {
		if (last && !asking && now() - last.atMs < ASKED_AGAIN_MS) return last.answer;
		asking ??= { sinceMs: now(), answer: askNow() };
		const { answer, sinceMs } = asking;
		const known = last?.answer;
		if (known === undefined || now() - sinceMs >= HANGS_AFTER_MS) return answer;
		return withTimeout(answer, soonMs, () => known);
	};
}
