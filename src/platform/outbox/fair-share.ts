/**
 * How many of a dispatcher's slots one tenant may fill.
 *
 * Rule: a tenant holds at most three times what is left free. One tenant alone gets three quarters of the slots, two that flood
 * get 3/7 each, and a part always stays free: a tenant who comes later never waits for a slow one's answers.
 * Source: dynamic thresholds for shared buffers (Choudhury and Hahne, 1998).
 */
const HELD_PER_FREE = 3;

/** Messages that a tenant may take now. One who holds nothing may always take one. */
export function roomOf(held: number, free: number): number {
	if (free <= 0) return 0;
	const room = Math.floor((HELD_PER_FREE * free - held) / (1 + HELD_PER_FREE));
	return Math.max(held === 0 ? 1 : 0, room);
}
