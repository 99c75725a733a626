/**
 * Times operations that take microseconds, so that percentiles describe the operation and not the machine.
 *
 * Everything runs five times, and the median of an operation's five times counts: another program that takes the core for some milliseconds
 * affects one of them, the operation's own cost all five. The first pass is also the warm-up. An operation that is slow twice is not
 * repeated.
 */
const PASSES = 5;
const LONG_MICROS = 20_000;

export type Percentiles = { readonly p50Micros: number; readonly p99Micros: number; readonly maxMicros: number };

/** Times `count` operations one by one. */
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

/** This many are timed together, because the clock costs more than one. */
const TOGETHER = 100;

/** Times `count` operations cheaper than the clock, by the hundred. Units: mean of one in its hundred. */
export function timeHundreds(count: number, work: (i: number) => void): Percentiles {
	const { p50Micros, p99Micros, maxMicros } = timeEach(Math.floor(count / TOGETHER), (hundred) => {
		for (let i = hundred * TOGETHER; i < (hundred + 1) * TOGETHER; i++) work(i);
	});
	return { p50Micros: p50Micros / TOGETHER, p99Micros: p99Micros / TOGETHER, maxMicros: maxMicros / TOGETHER };
}
