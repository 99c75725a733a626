/** The data in use: one variable, swapped as a whole, so that an answer's run and its data always belong together. */
import type { TaxpayerDocument } from "../values";
import type { RegistryEntry } from "./entry";
import type { Tombstones } from "./purge/tombstones";
import { entryBytesAt, lookupEntry } from "./snapshot/decode";
import { findRow } from "./snapshot/lookup";
import type { Snapshot } from "./snapshot/open";
import type { RunRow } from "./store";

export type Loaded = { readonly run: RunRow; readonly snapshot: Snapshot };

export type Current = {
	/** Undefined until something was loaded. */
	readonly get: () => Loaded | undefined;
	readonly swap: (loaded: Loaded) => void;
};

export function createCurrent(): Current {
	let loaded: Loaded | undefined;
	return {
		get: () => loaded,
		swap: (next) => {
			loaded = next;
		},
	};
}

/** The tombstones are asked first and always: a number that was erased takes as long as one that never existed. */
export function findEntry(
	loaded: Loaded | undefined,
	tombstones: Tombstones,
	document: TaxpayerDocument,
): RegistryEntry | undefined {
	const isErased = tombstones.isErased(document.digits);
	return isErased || !loaded ? undefined : lookupEntry(loaded.snapshot, document.digits);
}

/** The same entry as the JSON that is answered. */
export function findEntryBytes(
	loaded: Loaded,
	tombstones: Tombstones,
	document: TaxpayerDocument,
): Buffer<ArrayBuffer> | undefined {
	const isErased = tombstones.isErased(document.digits);
	const row = isErased ? undefined : findRow(loaded.snapshot, document.digits);
	return row === undefined ? undefined : entryBytesAt(loaded.snapshot, row);
}

/** Source: the specification, Registry status: stale when older than 36 hours, strictly. */
const STALE_AFTER_SECONDS = 129_600;

export function ageSeconds(run: RunRow, now: Date): number {
	return Math.max(0, Math.floor((now.getTime() - run.confirmedAt.getTime()) / 1000));
}

export function isStale(run: RunRow, now: Date): boolean {
	return ageSeconds(run, now) > STALE_AFTER_SECONDS;
}
