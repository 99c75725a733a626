/**
 * Answers of checks that cost a question to somebody else, asked once for all who ask at about the same time.
 *
 *   age of the last answer   0 ……… 250 ms …………………… 750 ms ……………
 *                            it     it, and a new one is   the new one is
 *                                   asked for beside       waited for
 *
 * So a flood of questions after the service's health, which anybody may ask, costs the database four questions a second; and while the service
 * is overloaded, whoever asks often does not wait for a turn at the database behind all that overloads it. What ends is told within two seconds.
 */

import { withTimeout } from "../../platform/concurrency";

export type Check = () => boolean | Promise<boolean>;

const RENEW_AFTER_MS = 250;
const GOOD_FOR_MS = 750;
/** A question that takes longer has been answered: no. */
const TIMEOUT_MS = 1_250;

/** The check, remembered; it answers false where it throws, rejects or takes too long. A check that answers without waiting is not remembered. */
export function rememberCheck(check: Check): Check {
	let last: { readonly passed: boolean; readonly at: number } | undefined;
	let asking: Promise<boolean> | undefined;
	const keep = async (answer: Promise<boolean>): Promise<boolean> => {
		const passed = await withTimeout(
			answer.catch(() => false),
			TIMEOUT_MS,
			() => false,
		);
		last = { passed, at: performance.now() };
		asking = undefined;
		return passed;
	};
	const ask = (): boolean | Promise<boolean> => {
		try {
			const answer = check();
			if (typeof answer === "boolean") return answer;
			asking = keep(answer);
			return asking;
		} catch {
			// A check that throws is the very news that it is there to bring; its name is in the answer.
			return false;
		}
	};
	return () => {
		const age = last ? performance.now() - last.at : Number.POSITIVE_INFINITY;
		if (!last || age > GOOD_FOR_MS) return asking ?? ask();
		if (age > RENEW_AFTER_MS && !asking) void ask();
		return last.passed;
	};
}
