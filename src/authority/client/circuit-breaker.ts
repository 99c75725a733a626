import { type CircuitBreaker, createCircuitBreaker } from "../../platform/concurrency";

/** Shared with the breaker that all processes use to detect an outage (`src/authority/status/breaker-store.ts`). */
export const FAILURES_TO_OPEN = 5;

/**
 * Creates the breaker of one service of the authority.
 * Gap: the authority publishes no rate limit, so only a service that fails is spared.
 */
export function createServiceBreaker(callsMax: number): CircuitBreaker {
	return createCircuitBreaker({ callsMax, failuresToOpen: FAILURES_TO_OPEN, pauseFirstMs: 500, pauseMaxMs: 10_000 });
}
