/** The one implementation of each concurrency primitive. All of them live in one process's memory; none knows a domain. */
export { type Batcher, type BatcherOptions, createBatcher, createKeyedBatcher } from "./batcher";
export { type CircuitBreaker, createCircuitBreaker } from "./circuit-breaker";
export { createFairQueue, type FairQueue } from "./fair-queue";
export {
	createRateLimiter,
	createTokenBucket,
	isLikeNew,
	refill,
	type TokenBucket,
	takeToken,
	waitSeconds,
} from "./rate-limiter";
export { parseRetryAfter } from "./retry-after";
export {
	createEarlyRelease,
	createKeyedSemaphore,
	createSemaphore,
	createTurns,
} from "./semaphore";
export { createKeyedQueue, createSerialQueue, type KeyedQueue, type SerialQueue } from "./serial-queue";
export { createSingleFlight, memoize, memoizeFor } from "./single-flight";
export { createWakeSignal } from "./wake-signal";
export { withTimeout } from "./with-timeout";
