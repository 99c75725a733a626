/**
 * How much of a lease is always left while its holder lives, and what fits into that: a call that cannot be undone is begun only while more of
 * the lease is left than the call may take.
 *
 *     0 ─────────── 1/5 ─────────────────────────── whole
 *     asked for      extended, 4/5 are left           over
 *                    └──── 2/15 of patience with the database, 2/3 for one call ────┘
 */

const EXTENSIONS_PER_LEASE = 5;

/** Milliseconds from one extension of the leases to the next. */
export function extensionEveryMs(leaseSeconds: number): number {
	return (leaseSeconds * 1000) / EXTENSIONS_PER_LEASE;
}

/** Milliseconds that a call may take at most which a kept lease is to outlast. */
export function longestCallMs(leaseSeconds: number): number {
	return (leaseSeconds * 1000 * 2) / 3;
}
