/**
 * Times what takes microseconds, so that percentiles tell about what is timed and not about the machine.
 *
 * Everything is done three times over, and of the three times of one thing the middle one counts: another program that takes the core
 * for some milliseconds hits one of them, what the thing itself costs stands in all three. The first pass is also the warm-up.
 */
const PASSES = 3;

export type Percentiles = { readonly p50Micros: number; readonly p99Micros: number; readonly maxMicros: number };

/** Times `count` things, each by itself. */
export function timeEach(count: number, work: (i: number) => void): Percentiles {
	const passes = Array.from({ length: PASSES }, () => {
		const micros = new Float64Array(count);
		for (let i = 0; i < count; i++) {
			const from = performance.now();
			work(i);
			micros[i] = (performance.now() - from) * 1_000;
		}
		return micros;
	});
	const middle = Float64Array.from({ length: count }, (_, i) => {
		const times = passes.map((pass) => pass[i] ?? 0).sort((a, b) => a - b);
		return times[Math.floor(PASSES / 2)] ?? 0;
	}).sort();
	const at = (percent: number) => middle[Math.min(count - 1, Math.floor((count * percent) / 100))] ?? 0;
	return { p50Micros: at(50), p99Micros: at(99), maxMicros: at(100) };
}

/** So many are timed together: the clock costs more than one of them. */
const TOGETHER = 100;

/** Times `count` things that take less than the clock does, by the hundred. Units: of one thing, the mean of its hundred. */
export function timeHundreds(count: number, work: (i: number) => void): Percentiles {
	const { p50Micros, p99Micros, maxMicros } = timeEach(Math.floor(count / TOGETHER), (hundred) => {
		for (let i = hundred * TOGETHER; i < (hundred + 1) * TOGETHER; i++) work(i);
	});
	return { p50Micros: p50Micros / TOGETHER, p99Micros: p99Micros / TOGETHER, maxMicros: maxMicros / TOGETHER };
}
