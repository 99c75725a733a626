/**
 * Times what takes microseconds, so that percentiles tell about what is timed and not about the machine.
 *
 * Everything is done five times over, and of the five times of one thing the middle one counts: another program that takes the core
 * for some milliseconds hits one of them, what the thing itself costs stands in all five. The first pass is also the warm-up. What takes
 * long twice is not done again: it takes long by itself.
 */
const PASSES = 5;
const LONG_MICROS = 20_000;

export type Percentiles = { readonly p50Micros: number; readonly p99Micros: number; readonly maxMicros: number };

/** Times `count` things, each by itself. */
export function timeEach(count: number, work: (i: number) => void): Percentiles {
	const times = Array.from({ length: count }, (): number[] => []);
	for (let pass = 0; pass < PASSES; pass++) {
		times.forEach((own, i) => {
			if (own.length === 2 && Math.min(...own) > LONG_MICROS) return;
			const from = performance.now();
			work(i);
			own.push((performance.now() - from) * 1_000);
		});
	}
	const middle = Float64Array.from(
		times,
		(own) => own.sort((a, b) => a - b)[Math.floor((own.length - 1) / 2)] ?? 0,
	).sort();
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
