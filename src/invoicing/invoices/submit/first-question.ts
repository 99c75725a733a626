/**
 * When a document is asked about for the first time after its reception: about when the authority has lately been found to have decided.
 *
 *   asked, and it had decided         a little sooner next time, down to at once
 *   asked, and it was still at work   a little later, but not long after what was found too soon
 *
 * So most first questions come just behind the authority's own time, whatever that is today. Gap: none is published; 200 ms on average have
 * been observed. Asked at once, in the step of the reception itself, a document needs one step less.
 */
export type FirstQuestion = {
	/** Seconds after the reception; 0 asks at once. */
	readonly pauseSeconds: () => number;
	/** What a question was told, so long after the sending. */
	readonly learn: (isDecided: boolean, ageSeconds: number) => void;
};

const PAUSE_START_SECONDS = 0.1;
const PAUSE_MAX_SECONDS = 1;
/** What is sooner than this is at once. */
const PAUSE_MIN_SECONDS = 0.02;

export function createFirstQuestion(): FirstQuestion {
	let pause = PAUSE_START_SECONDS;
	return {
		pauseSeconds: () => pause,
		learn(isDecided, ageSeconds) {
			if (isDecided) {
				pause = Math.min(pause * 0.95, ageSeconds);
				if (pause < PAUSE_MIN_SECONDS) pause = 0;
			} else {
				const proven = Math.min(PAUSE_MAX_SECONDS, Math.max(PAUSE_MIN_SECONDS, ageSeconds * 1.5));
				pause = Math.max(PAUSE_MIN_SECONDS, Math.min(pause * 1.1, proven));
			}
		},
	};
}
