/**
 * Measures functions in this process, in turn.
 *
 * How: each side first runs untimed, until the compiler has seen it often. Then come the rounds; in each every side repeats its
 * function for a span of time and counts, and every other round goes in reverse order, so that a machine that grows slower or
 * faster favours nobody. The clock is read after every call: sound as long as a call takes many times the 50 ns that this
 * costs. Nothing is subtracted and no round is dropped. Callers keep what the functions return, so that no call can be
 * compiled away.
 */

/** One call; an asynchronous one is waited for before the next begins. */
export type Side = () => unknown;

export type Rounds = {
	readonly rounds: number;
	/** Of each side in each round. */
	readonly seconds: number;
	readonly warmUpSeconds: number;
};

/** Calls per second of each side, round by round. */
export async function measureInTurn<Name extends string>(
	sides: Readonly<Record<Name, Side>>,
	{ rounds, seconds, warmUpSeconds }: Rounds,
): Promise<Record<Name, number[]>> {
	const names = Object.keys(sides) as Name[];
	const rates = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, number[]>;
	for (const name of names) await callsPerSecond(sides[name], warmUpSeconds);
	for (let round = 0; round < rounds; round++) {
		const inTurn = round % 2 === 0 ? names : names.toReversed();
		for (const name of inTurn) rates[name].push(await callsPerSecond(sides[name], seconds));
	}
	return rates;
}

/** Repeats a function for a span of time. */
export async function callsPerSecond(side: Side, seconds: number): Promise<number> {
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
	return (calls * 1_000) / (now - startedAt);
}
