/** Something to wait on that remembers a ring which came too early. */
export function createBell() {
	let rung = false;
	let wakeUp: (() => void) | undefined;
	/** The earliest ring ordered for later. */
	let order: { atMs: number; timer: ReturnType<typeof setTimeout> } | undefined;
	const ring = () => {
		rung = true;
		wakeUp?.();
	};
	return {
		ring,
		/** Rings later, unless it will before. A later ring is not lost: what was due then is found by the claim before it. */
		ringIn: (delayMs: number) => {
			const atMs = performance.now() + delayMs;
			if (order && order.atMs <= atMs) return;
			clearTimeout(order?.timer);
			const timer = setTimeout(() => {
				order = undefined;
				ring();
			}, delayMs);
			order = { atMs, timer };
		},
		silence: () => clearTimeout(order?.timer),
		wait: async (timeoutMs: number) => {
			if (!rung) {
				let timer: ReturnType<typeof setTimeout> | undefined;
				await new Promise<void>((done) => {
					wakeUp = done;
					timer = setTimeout(done, timeoutMs);
				});
				clearTimeout(timer);
			}
			rung = false;
			wakeUp = undefined;
		},
	};
}
