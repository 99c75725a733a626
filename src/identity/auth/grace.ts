/**
 * Grace: while the database is away, keys that were valid a short while ago may still look up the registry, which is in memory.
 *
 *   a read or a heartbeat fails ──▶ away: rows are served that were valid `seconds` ago or later
 *   a read succeeds or a heartbeat arrives ──▶ back: every row is read again before it is served
 *
 * A row that is absent, or was never read, is not known: its caller gets 503.
 */

export type Grace = {
	/** Whether the database is away and rows may be served without it. */
	readonly isOn: () => boolean;
	/** Whether a row that was last known to be valid at `confirmedAt` may be served now. Units: milliseconds of `performance.now`. */
	readonly covers: (confirmedAt: number, now: number) => boolean;
	readonly noteFailure: () => void;
	readonly noteAnswer: () => void;
};

/** Zero seconds: there is no grace. */
export function createGrace(seconds: number): Grace {
	let isAway = false;
	return {
		isOn: () => isAway,
		covers: (confirmedAt, now) => isAway && now - confirmedAt < seconds * 1_000,
		noteFailure: () => {
			isAway = seconds > 0;
		},
		noteAnswer: () => {
			isAway = false;
		},
	};
}

/** For rows that only a database can confirm. */
export const NO_GRACE: Grace = createGrace(0);
