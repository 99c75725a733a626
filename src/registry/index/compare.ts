/** The difference between two snapshots. */
import { endingAt, HEAD_BYTES, textBytesAt, UNIT_BYTES } from "./entry-layout";
import type { Snapshot } from "./open";

type Difference =
	| { readonly kind: "added"; readonly row: number }
	| { readonly kind: "changed"; readonly row: number; readonly rowBefore: number }
	| { readonly kind: "removed"; readonly rowBefore: number };

/** What the second snapshot has differently, ascending by document number. */
export function* compareSnapshots(before: Snapshot, after: Snapshot): Generator<Difference> {
	const isSame = createComparison(before, after);
	let row = 0;
	let rowBefore = 0;
	while (row < after.entryCount || rowBefore < before.entryCount) {
		const key = after.keys[row] ?? Number.POSITIVE_INFINITY;
		const keyBefore = before.keys[rowBefore] ?? Number.POSITIVE_INFINITY;
		if (key < keyBefore) yield { kind: "added", row: row++ };
		else if (key > keyBefore) yield { kind: "removed", rowBefore: rowBefore++ };
		else {
			if (!isSame(rowBefore, row)) yield { kind: "changed", row, rowBefore };
			row++;
			rowBefore++;
		}
	}
}

/** Whether a row of the one holds the same as a row of the other. Equal endings are found equal once. */
function createComparison(before: Snapshot, after: Snapshot): (rowBefore: number, row: number) => boolean {
	const endingOf = new Map<string, number>();
	listEndings(after).forEach((text, ending) => {
		endingOf.set(text, ending);
	});
	const sameEnding = listEndings(before).map((text) => endingOf.get(text));
	return (rowBefore, row) => {
		const [addressBefore, address] = [before.entryStarts[rowBefore] ?? 0, after.entryStarts[row] ?? 0];
		if (sameEnding[endingAt(before.entries, addressBefore)] !== endingAt(after.entries, address)) return false;
		const textBytes = textBytesAt(after.entries, address);
		if (textBytesAt(before.entries, addressBefore) !== textBytes) return false;
		const shift = (address - addressBefore) * UNIT_BYTES;
		const from = addressBefore * UNIT_BYTES + HEAD_BYTES;
		const to = from + textBytes;
		for (let i = from; i < to; i++) if (before.entries.bytes[i] !== after.entries.bytes[i + shift]) return false;
		return true;
	};
}

function listEndings({ endingStarts, endingCuts, endingTexts }: Snapshot): string[] {
	return Array.from(endingCuts, (_, ending) =>
		endingTexts.toString("utf8", endingStarts[ending], endingStarts[ending + 1]),
	);
}
