/**
 * Measures functions in this process, in turn.
 *
 * Each side first runs untimed until the compiler has optimised it. In each round every side repeats its function for a span of time and
 * counts
 * calls. Every other round runs in reverse order, so that drift favours no side. The clock is read after every call, which is sound while a
 * call
 * takes many times its 50 ns. Nothing is subtracted and no round is dropped. Callers keep return values, so that no call is optimised away.
 *
 * Processor time covers the whole process, including collector and compiler. It accompanies the rate because other programs hardly affect
 * it.
 */

import { fullGC } from "bun:jsc";
import { newRounds } from "./bench";

/** One call; an asynchronous one is awaited before the next. */
export type Side = () => unknown;

export type Rounds = {
	readonly rounds: number;
	/** Of each side in each round. */
	readonly seconds: number;
	readonly warmUpSeconds: number;
};

/** Round by round. */
export type Measured = { readonly perSecond: number[]; readonly cpuMicros: number[] };

/** `prove` checks the results of each side outside its measured time. */
export async function measureInTurn<Name extends string>(
	sides: Readonly<Record<Name, Side>>,
	{ rounds, seconds, warmUpSeconds }: Rounds,
	prove: () => void = () => undefined,
): Promise<Record<Name, Measured>> {
	const names = Object.keys(sides) as Name[];
	const measured: Partial<Record<Name, Measured>> = {};
	for (const name of names) measured[name] = newRounds("perSecond", "cpuMicros");
	for (const name of names) {
		await repeat(sides[name], warmUpSeconds);
		prove();
	}
	for (let round = 0; round < rounds; round++) {
		for (const name of round % 2 === 0 ? names : names.toReversed()) {
			const { perSecond, cpuMicros } = await repeat(sides[name], seconds);
			prove();
			measured[name]?.perSecond.push(perSecond);
			measured[name]?.cpuMicros.push(cpuMicros);
		}
	}
	return measured as Record<Name, Measured>;
}

/** Repeats a function for a span of time. */
export async function repeat(side: Side, seconds: number): Promise<{ perSecond: number; cpuMicros: number }> {
	// Collects the previous side's garbage before this side's time. The runtime's own call would also return memory to the system, and each
	// side
	// would fault its pages in again, unlike a busy process.
	fullGC();
	const cpuBefore = process.cpuUsage();
	const startedAt = performance.now();
	const deadline = startedAt + seconds * 1_000;
	let calls = 0;
	let now = startedAt;
	while (now < deadline) {
		const returned = side();
		// Awaiting a plain value would cost a turn of the event loop, which the other side may not need.
		if (returned instanceof Promise) await returned;
		calls++;
		now = performance.now();
	}
	const { user, system } = process.cpuUsage(cpuBefore);
	return { perSecond: (calls * 1_000) / (now - startedAt), cpuMicros: (user + system) / calls };
}
