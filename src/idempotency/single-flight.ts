import { Problem } from "../problem";

/**
 * Lets one request of a key run at a time in this process; the others wait for it and then look again. What holds between
 * processes is the unique key in the database: this only saves the work of signing a document that will be thrown away.
 */
export function createSingleFlight(waitMaxMs = 10_000) {
	const running = new Map<string, Promise<void>>();
	return {
		/** Waits for the key's turn, then runs the work as its only one. Throws: idempotency-in-progress after `waitMaxMs`. */
		async run<T>(key: string, work: () => Promise<T>): Promise<T> {
			const deadline = performance.now() + waitMaxMs;
			for (let flight = running.get(key); flight; flight = running.get(key)) {
				const left = deadline - performance.now();
				const tooLong = left <= 0 || (await Promise.race([flight.then(() => false), Bun.sleep(left).then(() => true)]));
				if (tooLong) throw new Problem("idempotency-in-progress", { headers: { "retry-after": "1" } });
			}
			// No await between the last look and this: all who waited wake together, and the first of them takes the turn.
			let land = () => {};
			running.set(key, new Promise<void>((done) => (land = done)));
			try {
				return await work();
			} finally {
				running.delete(key);
				land();
			}
		},
	};
}
export type SingleFlight = ReturnType<typeof createSingleFlight>;
