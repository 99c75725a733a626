import { type CircuitBreaker, createCircuitBreaker } from "../../platform/concurrency";

/** Also what other processes count before they take a service for down (breaker-store.ts). */
export const FAILURES_TO_OPEN = 5;

/** A breaker for one service of the authority. Gap: the authority publishes no limit of calls; only a service that fails is spared. */
export function createServiceBreaker(callsMax: number): CircuitBreaker {
	return createCircuitBreaker({ callsMax, failuresToOpen: FAILURES_TO_OPEN, pauseFirstMs: 500, pauseMaxMs: 10_000 });
}
