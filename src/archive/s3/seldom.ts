/**
 * The answer to a question that is asked seldom, however often it is wanted.
 *
 *   age of the last answer   0 ……… 15 s ……………………………… 20 s ………
 *                            it     it, while it is asked anew   the new one is waited for
 *
 * So whoever must answer at once, as health does, takes a store that is slow for what it was and not for one that is away.
 */

const ASKED_AGAIN_MS = 15_000;
const GOOD_FOR_MS = 20_000;

/** `ask` never rejects. `now` is the steady clock, in milliseconds. */
export function askSeldom<T>(ask: () => Promise<T>, now = () => performance.now()): () => Promise<T> {
	let last: { readonly answer: T; readonly atMs: number } | undefined;
	let asking: Promise<T> | undefined;
	const askNow = async (): Promise<T> => {
		const answer = await ask();
		last = { answer, atMs: now() };
		asking = undefined;
		return answer;
	};
	return async () => {
		const ageMs = last ? now() - last.atMs : Number.POSITIVE_INFINITY;
		if (ageMs >= ASKED_AGAIN_MS) asking ??= askNow();
		return last && ageMs < GOOD_FOR_MS ? last.answer : (asking ?? askNow());
	};
}
