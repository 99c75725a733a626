/** The difference between two snapshots. */
import { entryBytesAt } from "./decode";
import type { Snapshot } from "./open";

export type Difference =
	| { readonly kind: "added"; readonly row: number }
	| { readonly kind: "changed"; readonly row: number; readonly rowBefore: number }
	| { readonly kind: "removed"; readonly rowBefore: number };

/** What the second snapshot has differently, ascending by document number. */
export function* compareSnapshots(before: Snapshot, after: Snapshot): Generator<Difference> {
	let row = 0;
	let rowBefore = 0;
	while (row < after.entryCount || rowBefore < before.entryCount) {
		const key = after.keys[row] ?? Number.POSITIVE_INFINITY;
		const keyBefore = before.keys[rowBefore] ?? Number.POSITIVE_INFINITY;
		if (key < keyBefore) yield { kind: "added", row: row++ };
		else if (key > keyBefore) yield { kind: "removed", rowBefore: rowBefore++ };
		else {
			if (!entryBytesAt(before, rowBefore).equals(entryBytesAt(after, row))) yield { kind: "changed", row, rowBefore };
			row++;
			rowBefore++;
		}
	}
}

export function countDifferences(before: Snapshot, after: Snapshot) {
	const counts = { added: 0, changed: 0, removed: 0 };
	for (const { kind } of compareSnapshots(before, after)) counts[kind]++;
	return counts;
}
