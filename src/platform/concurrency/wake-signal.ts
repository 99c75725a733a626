const ROUNDED_MS = 20;

/** A signal to wait for. A signal that comes before the wait is not lost. */
export function createWakeSignal() {
	let isSignalled = false;
	let wakeUp: (() => void) | undefined;
	/** Times of signals to come, by the steady clock, rounded up. */
	const scheduled = new Set<number>();
	let next: { atMs: number; timer: ReturnType<typeof setTimeout> } | undefined;
	const wake = () => {
		isSignalled = true;
		wakeUp?.();
	};
	function schedule(atMs: number): void {
		clearTimeout(next?.timer);
		const timer = setTimeout(
			() => {
				scheduled.delete(atMs);
				next = undefined;
				if (scheduled.size > 0) schedule(Math.min(...scheduled));
				wake();
			},
			Math.max(0, atMs - performance.now()),
		);
		next = { atMs, timer };
	}
	return {
		wake,
		/** Signals later; signals within 20 ms are one. */
		wakeIn: (delayMs: number) => {
			const atMs = Math.ceil((performance.now() + delayMs) / ROUNDED_MS) * ROUNDED_MS;
			scheduled.add(atMs);
			if (!next || atMs < next.atMs) schedule(atMs);
		},
		clear: () => {
			scheduled.clear();
			clearTimeout(next?.timer);
		},
		wait: async (timeoutMs: number) => {
			if (!isSignalled) {
				let timer: ReturnType<typeof setTimeout> | undefined;
				await new Promise<void>((done) => {
					wakeUp = done;
					timer = setTimeout(done, timeoutMs);
				});
				clearTimeout(timer);
			}
			isSignalled = false;
			wakeUp = undefined;
		},
	};
}
