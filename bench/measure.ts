/**
 * Measures functions in this process, in turn.
 *
 * How: each side first runs untimed, until the compiler has seen it often. Then come the rounds; in each every side repeats its
 * function for a span of time and counts, and every other round goes in reverse order, so that a machine that grows slower or
 * faster favours nobody. The clock is read after every call: sound as long as a call takes many times the 50 ns that this
 * costs. Nothing is subtracted and no round is dropped. Callers keep what the functions return, so that no call can be
 * compiled away.
 *
 * Processor time is that of the whole process, collector and compiler included. It stands beside the rate because it hardly
 * changes when other programs want the same core.
 */

import { fullGC } from "bun:jsc";
import { newRounds } from "./bench";

/** One call; an asynchronous one is waited for before the next begins. */
export type Side = () => unknown;

export type Rounds = {
	readonly rounds: number;
	/** Of each side in each round. */
	readonly seconds: number;
	readonly warmUpSeconds: number;
};

/** Round by round. */
export type Measured = { readonly perSecond: number[]; readonly cpuMicros: number[] };

/** `prove` looks at what the sides have made, after each one's time: what only the bench does is no side's cost. */
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
	// What the side before left behind is collected now, not in this side's time. The runtime's own call would also give the memory back to the
	// system, and each side would pay for its pages anew, which a process at work does not.
	fullGC();
	const cpuBefore = process.cpuUsage();
	const startedAt = performance.now();
	const deadline = startedAt + seconds * 1_000;
	let calls = 0;
	let now = startedAt;
	while (now < deadline) {
		const returned = side();
		// Awaiting a plain value would cost a turn of the event loop, which the other side may not pay.
		if (returned instanceof Promise) await returned;
		calls++;
		now = performance.now();
	}
	const { user, system } = process.cpuUsage(cpuBefore);
	return { perSecond: (calls * 1_000) / (now - startedAt), cpuMicros: (user + system) / calls };
}
