/**
 * Values of the previous run for columns that a source lacks: only one of the authority's formats has commercial names, and a change of
 * format must not blank them.
 *
 * Gap: a host without the previous run's file cannot keep values. It does not rebuild such a run from its source; its next ingest makes a run
 * without the values.
 */
import { findAddressOfKey, HEAD_BYTES, type Snapshot, textBytesAt, UNIT_BYTES } from "../index/index";
import type { KeptColumns } from "./build/columns";
import type { LackingColumns } from "./source/parse";

/** The members of an entry that a source may lack. */
export type KeptField = "trade_name" | "started_on";

type Keeper = {
	readonly keepFor: (lacking: LackingColumns) => KeptColumns;
	/** The members of which any value was kept. */
	readonly fields: () => readonly KeptField[];
};

/** `open` opens the previous run's file; it is called if a column is lacking. */
export function createKeeper(open: () => Snapshot | undefined): Keeper {
	const fields = new Set<KeptField>();
	return {
		keepFor: ({ tradeName, startDate }) => {
			const before = tradeName || startDate ? open() : undefined;
			if (!before) return {};
			return {
				tradeNameOf: tradeName ? keepTradeNames(before, () => fields.add("trade_name")) : undefined,
				startDayOf: startDate ? keepStartDays(before, () => fields.add("started_on")) : undefined,
			};
		},
		fields: () => [...fields],
	};
}

/** Precedes the commercial name, which ends an entry's text. A quote inside a name is escaped, so no name contains it. */
const LABEL = Buffer.from('","trade_name":"');
const BACKSLASH = 0x5c;

function keepTradeNames(before: Snapshot, onKept: () => void) {
	return (key: number): Uint8Array | undefined => {
		const address = findAddressOfKey(before, key);
		if (address === undefined) return undefined;
		const from = address * UNIT_BYTES + HEAD_BYTES;
		const text = before.entries.bytes.subarray(from, from + textBytesAt(before.entries, address));
		const value = text.subarray(text.lastIndexOf(LABEL) + LABEL.length);
		if (value.length === 0) return undefined;
		onKept();
		return value.includes(BACKSLASH) ? Buffer.from(JSON.parse(`"${value}"`) as string) : value;
	};
}

function keepStartDays({ keys, startDays }: Snapshot, onKept: () => void) {
	let row = 0;
	return (key: number): number => {
		while (row < keys.length && (keys[row] ?? 0) < key) row++;
		const day = keys[row] === key ? (startDays[row] ?? 0) : 0;
		if (day > 0) onKept();
		return day;
	};
}
