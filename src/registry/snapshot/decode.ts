/** Takes entries out of a snapshot: as the bytes that are answered, or as values. */
import type { RegistryEntry } from "../entry";
import { findRow } from "./lookup";
import type { Snapshot } from "./open";

const regimeLabel = Buffer.from(',"payment_regime":"');

/** The entry's JSON. The bytes are the file's own: to be copied before they leave. */
export function entryBytesAt(snapshot: Snapshot, row: number): Buffer {
	return snapshot.json.subarray(snapshot.jsonStarts[row], snapshot.jsonStarts[row + 1]);
}

/** The entry's JSON without `payment_regime` and without the closing brace. */
export function itemBytesAt(snapshot: Snapshot, row: number): Buffer {
	const bytes = entryBytesAt(snapshot, row);
	// A quote inside of a text is escaped, so the label's own can stand nowhere else.
	return bytes.subarray(0, bytes.lastIndexOf(regimeLabel));
}

export function entryAt(snapshot: Snapshot, row: number): RegistryEntry {
	const from = snapshot.jsonStarts[row] ?? 0;
	return JSON.parse(snapshot.json.toString("utf8", from, snapshot.jsonStarts[row + 1] ?? from)) as RegistryEntry;
}

/** The entry of a number of 9 or 11 digits. */
export function lookupEntry(snapshot: Snapshot, digits: string): RegistryEntry | undefined {
	const row = findRow(snapshot, digits);
	return row === undefined ? undefined : entryAt(snapshot, row);
}
