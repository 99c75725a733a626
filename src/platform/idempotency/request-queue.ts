import { createKeyedQueue, type KeyedQueue } from "../concurrency";
import { Problem } from "../problem";

/**
 * Runs one request per idempotency key at a time in this process; the others wait and then find its answer. Between processes the unique key
 * in the database decides: this only saves the work of signing a document that would be thrown away.
 * Throws: idempotency-in-progress when the wait gets too long.
 */
export function createRequestQueue(waitMaxMs = 10_000): KeyedQueue {
	return createKeyedQueue(waitMaxMs, () => new Problem("idempotency-in-progress", { headers: { "retry-after": "1" } }));
}
