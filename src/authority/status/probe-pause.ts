/** When the main host is asked for a sign of life next. */
import type { Measured } from "./measured";
import type { Status } from "./status";

type ProbeFacts = {
	/** Of authentication, as it is held to be now. */
	readonly status: Status;
	readonly seed: Pick<Measured, "okInRow" | "failuresInRow" | "lastOkAt" | "lastFailureAt">;
	/** Of all other services of the host: the newest call that failed. */
	readonly lastFailureElsewhereAt: Date | null;
	/** Between two of them while all is well. */
	readonly quietMs: number;
};

/** While it is away it is asked often, so that its return is told within seconds. */
const AWAY_MS = 5_000;
/** News is not believed at once but asked again after a moment: a first failure, a first good answer, a failure of another service. */
export const DOUBT_MS = 500;

/** Milliseconds from the last question to the next one. */
export function probePauseMs({ status, seed, lastFailureElsewhereAt, quietMs }: ProbeFacts): number {
	const isWell = status === "operational" || status === "degraded";
	const last = latest(seed.lastOkAt, seed.lastFailureAt);
	const isElsewhere = lastFailureElsewhereAt !== null && (last === null || lastFailureElsewhereAt > last);
	if (isWell ? seed.failuresInRow > 0 || isElsewhere : seed.okInRow > 0) return DOUBT_MS;
	return isWell ? quietMs : Math.min(AWAY_MS, quietMs);
}

export function latest(a: Date | null, b: Date | null): Date | null {
	if (a === null || b === null) return a ?? b;
	return a > b ? a : b;
}
