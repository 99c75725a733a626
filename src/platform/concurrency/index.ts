/** The one implementation of each concurrency primitive. All of them live in one process's memory; none knows a domain. */
export { type Batcher, type BatcherOptions, createBatcher, createKeyedBatcher } from "./batcher";
export { type CircuitBreaker, type CircuitBreakerOptions, createCircuitBreaker } from "./circuit-breaker";
export {
	createRateLimiter,
	createTokenBucket,
	isLikeNew,
	type RateLimiter,
	refill,
	type TokenBucket,
	type TokenRate,
	takeToken,
	waitSeconds,
} from "./rate-limiter";
export { parseRetryAfter } from "./retry-after";
export {
	createEarlyRelease,
	createKeyedSemaphore,
	createSemaphore,
	type KeyedSemaphore,
	type Semaphore,
} from "./semaphore";
export { createKeyedQueue, createSerialQueue, type KeyedQueue, type SerialQueue } from "./serial-queue";
export { createSingleFlight, memoize, memoizeFor, type SingleFlight } from "./single-flight";
export { withTimeout } from "./with-timeout";
