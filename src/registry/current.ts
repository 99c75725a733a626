/** The data in use: one variable, swapped as a whole, so that an answer's run and its data always belong together. */
import type { TaxpayerDocument } from "../platform/values";
import type { RegistryEntry } from "./entry";
import type { Tombstones } from "./erasure/tombstones";
import { entryBytesAt, lookupEntry } from "./index/decode";
import { digitsOf } from "./index/document-key";
import { findAddressOfKey } from "./index/lookup";
import type { Snapshot } from "./index/open";
import type { Room } from "./response-buffer";
import type { RunRow } from "./store";

export type Loaded = {
	readonly run: RunRow;
	readonly snapshot: Snapshot;
	/** Whether all of the file was read against its checksums, by this process or by the one that has just built it. */
	readonly isVerified: boolean;
};

export type Current = {
	/** Undefined until something was loaded, and while there is nothing but a damaged file. */
	readonly get: () => Loaded | undefined;
	readonly swap: (loaded: Loaded) => void;
	/** Takes a damaged file out of service; false when another one is in use. */
	readonly drop: (fileId: string) => boolean;
};

export function createCurrent(): Current {
	let loaded: Loaded | undefined;
	return {
		get: () => loaded,
		swap: (next) => {
			loaded = next;
		},
		drop: (fileId) => {
			if (loaded?.snapshot.fileId !== fileId) return false;
			loaded = undefined;
			return true;
		},
	};
}

/** The tombstones are asked first, for every number or for none: one that was erased takes as long as one that never existed. */
export function findEntry(
	loaded: Loaded | undefined,
	tombstones: Tombstones,
	document: TaxpayerDocument,
): RegistryEntry | undefined {
	if (!loaded || isErasedIn(loaded, tombstones, document.digits)) return undefined;
	return lookupEntry(loaded.snapshot, document.digits);
}

/** A snapshot that was made without the very numbers that are erased now need not be doubted; any other is, number by number. */
export function isErasedIn(loaded: Loaded, tombstones: Tombstones, digits: string): boolean {
	return askErased(loaded, tombstones)?.(digits) ?? false;
}

/** The question for each number, good until the caller waits for something; undefined where nothing need be asked. */
export function askErased(loaded: Loaded, tombstones: Tombstones): ((digits: string) => boolean) | undefined {
	return isClear(loaded, tombstones) ? undefined : tombstones.isErased;
}

function isClear({ snapshot }: Loaded, tombstones: Tombstones): boolean {
	return snapshot.manifest.clearedOf === tombstones.fingerprint();
}

/** The entry of a document key as the JSON that is answered; written into `room` where it is given. */
export function findEntryBytes(
	loaded: Loaded,
	tombstones: Tombstones,
	key: number,
	room?: Room,
): Uint8Array<ArrayBuffer> | undefined {
	const { snapshot } = loaded;
	if (!isClear(loaded, tombstones) && tombstones.isErased(digitsOf(key))) return undefined;
	const address = findAddressOfKey(snapshot, key);
	return address === undefined ? undefined : entryBytesAt(snapshot, address, room);
}

/** Source: the specification, Registry status: stale when older than 36 hours, strictly. */
const STALE_AFTER_SECONDS = 129_600;

export function ageSeconds(run: RunRow, now: Date): number {
	return Math.max(0, Math.floor((now.getTime() - run.confirmedAt.getTime()) / 1000));
}

export function isStale(run: RunRow, now: Date): boolean {
	return ageSeconds(run, now) > STALE_AFTER_SECONDS;
}
