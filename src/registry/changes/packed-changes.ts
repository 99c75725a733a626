/**
 * What one run changed against another, on its way from the ingest's thread to the database: one number a change, since a forced
 * ingest may change everything, and numbers cross to another thread at once.
 */
import { compareSnapshots } from "../index/compare";
import { digitsOf } from "../index/document-key";
import type { Snapshot } from "../index/open";

export const CHANGE_KINDS = ["added", "changed", "removed"] as const;
export type RegistryChange = { readonly kind: (typeof CHANGE_KINDS)[number]; readonly document: string };

/** Ascending by document number; each the number's key times three, plus the kind's place. Keys stay below 2^38. */
export type PackedChanges = Float64Array;

/** Compares two snapshots. */
export function packChanges(before: Snapshot, after: Snapshot): PackedChanges {
	const packed: number[] = [];
	for (const difference of compareSnapshots(before, after)) {
		const key = difference.kind === "removed" ? before.keys[difference.rowBefore] : after.keys[difference.row];
		packed.push((key ?? 0) * CHANGE_KINDS.length + CHANGE_KINDS.indexOf(difference.kind));
	}
	return Float64Array.from(packed);
}

export function* unpackChanges(packed: PackedChanges): Generator<RegistryChange, void, void> {
	for (const number of packed) {
		const place = number % CHANGE_KINDS.length;
		const kind = CHANGE_KINDS[place];
		if (!kind) throw new Error(`no kind of change has the place ${place}`);
		yield { kind, document: digitsOf((number - place) / CHANGE_KINDS.length) };
	}
}

export function countChanges(packed: PackedChanges): Readonly<Record<RegistryChange["kind"], number>> {
	const counts = { added: 0, changed: 0, removed: 0 };
	for (const number of packed) counts[CHANGE_KINDS[number % CHANGE_KINDS.length] ?? "changed"]++;
	return counts;
}
