import { Problem } from "../problem";

/**
 * Lets one request of a key run at a time in this process; the others wait their turn and then find its answer. What holds
 * between processes is the unique key in the database: this only saves the work of signing a document that will be thrown away.
 */
export type SingleFlight = {
	/** Waits while the key is running, then runs the work. Throws: idempotency-in-progress when the wait gets too long. */
	readonly run: <T>(key: string, work: () => Promise<T>) => Promise<T>;
};

export function createSingleFlight(waitMaxMs = 10_000): SingleFlight {
	const running = new Map<string, Promise<void>>();

	async function waitForTurn(key: string, deadline: number): Promise<void> {
		for (let flight = running.get(key); flight; flight = running.get(key)) {
			const left = deadline - performance.now();
			const isOver = left <= 0 || (await Promise.race([flight.then(() => false), Bun.sleep(left).then(() => true)]));
			if (isOver) throw new Problem("idempotency-in-progress", { headers: { "retry-after": "1" } });
		}
	}

	return {
		async run(key, work) {
			// Waiters wake one after another: whoever finds the key free must have taken it before the next one looks.
			const deadline = performance.now() + waitMaxMs;
			while (running.has(key)) await waitForTurn(key, deadline);
			let land = () => {};
			const flight = new Promise<void>((done) => {
				land = done;
			});
			running.set(key, flight);
			try {
				return await work();
			} finally {
				running.delete(key);
				land();
			}
		},
	};
}
