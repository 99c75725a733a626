/** The difference between two snapshots, and its packed form. */
import { digitsOf } from "./document-key";
import { endingAt, HEAD_BYTES, type Snapshot, textBytesAt, UNIT_BYTES } from "./open";

type Difference =
	| { readonly kind: "added"; readonly row: number }
	| { readonly kind: "changed"; readonly row: number; readonly rowBefore: number }
	| { readonly kind: "removed"; readonly rowBefore: number };

/**
 * The differences of the second snapshot, ascending by document number. Gap: another start date alone is no difference, because entries do
 * not show it.
 */
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

/** Whether two rows hold the same entry. Equal endings are compared only once. */
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

export const CHANGE_KINDS = ["added", "changed", "removed"] as const;
export type RegistryChange = { readonly kind: (typeof CHANGE_KINDS)[number]; readonly document: string };

/**
 * The changes of one run on their way from a thread to the database, one number per change: numbers cross threads at once, and a forced
 * ingest may change everything. Ascending by document number; each is the number's key times three, plus the index of the kind. Keys stay
 * below 2^38.
 */
export type PackedChanges = Float64Array;

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
		if (!kind) throw new Error(`no kind of change has the index ${place}`);
		yield { kind, document: digitsOf((number - place) / CHANGE_KINDS.length) };
	}
}

export function countChanges(packed: PackedChanges): Readonly<Record<RegistryChange["kind"], number>> {
	const counts = { added: 0, changed: 0, removed: 0 };
	for (const number of packed) counts[CHANGE_KINDS[number % CHANGE_KINDS.length] ?? "changed"]++;
	return counts;
}
