/** What one run changed against another. */
import type { RegistryEntry } from "../entry";

export const CHANGE_KINDS = ["added", "changed", "removed"] as const;
export type RegistryChange = { readonly kind: (typeof CHANGE_KINDS)[number]; readonly document: string };

/**
 * Walks two runs side by side and tells how they differ. Both ascend by document number as text, as snapshots do. Nothing is held but one entry of each. Throws when one is out of order.
 */
export function* diff(
	previous: Iterable<RegistryEntry>,
	next: Iterable<RegistryEntry>,
): Generator<RegistryChange, void, void> {
	const before = ascending(previous, "previous");
	const after = ascending(next, "next");
	let old = before.next();
	let young = after.next();
	while (!old.done || !young.done) {
		const order = young.done ? -1 : old.done ? 1 : compareDocuments(old.value.rnc, young.value.rnc);
		if (order < 0 && !old.done) {
			yield { kind: "removed", document: old.value.rnc };
			old = before.next();
		} else if (order > 0 && !young.done) {
			yield { kind: "added", document: young.value.rnc };
			young = after.next();
		} else if (!old.done && !young.done) {
			if (!isSameEntry(old.value, young.value)) yield { kind: "changed", document: young.value.rnc };
			old = before.next();
			young = after.next();
		}
	}
}

/** Counts changes on their way, for the run's row. */
export function* countChanges(
	changes: Iterable<RegistryChange>,
	counts: Record<RegistryChange["kind"], number>,
): Generator<RegistryChange, void, void> {
	for (const change of changes) {
		counts[change.kind]++;
		yield change;
	}
}

function* ascending(entries: Iterable<RegistryEntry>, which: string): Generator<RegistryEntry, void, void> {
	let last: string | undefined;
	for (const entry of entries) {
		if (last !== undefined && compareDocuments(last, entry.rnc) >= 0) {
			throw new Error(`the ${which} entries of a difference are out of order`);
		}
		last = entry.rnc;
		yield entry;
	}
}

function compareDocuments(a: string, b: string): number {
	return a < b ? -1 : a > b ? 1 : 0;
}

function isSameEntry(a: RegistryEntry, b: RegistryEntry): boolean {
	return (
		a.name === b.name &&
		a.trade_name === b.trade_name &&
		a.economic_activity === b.economic_activity &&
		a.status === b.status &&
		a.payment_regime === b.payment_regime
	);
}
