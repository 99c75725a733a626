/** A look-up from memory alone, for the rim's short road: no promise, no URL, no headers made of names and values. */
import { matchesEtag, NO_SNIFFING, type ReadyAnswer } from "../operation";
import type { Clock } from "../values";
import { entryEtagOf, JSON_TYPE, toCacheHeaders } from "./cached-answer";
import { type Current, findEntryBytes, isStale, type Loaded } from "./current";
import { LOOKUP_MAX_AGE_SECONDS } from "./purge/record";
import type { Tombstones } from "./purge/tombstones";
import { keyOfWritten } from "./snapshot/document-key";

/** Few entries are longer; those get memory of their own. */
const ROOM_BYTES = 4_096;

/** The headers of one run's answers, with and without a body. */
type Prepared = {
	readonly loaded: Loaded;
	readonly isStale: boolean;
	readonly etag: string;
	readonly full: Headers;
	readonly unmodified: Headers;
};

/** Undefined for what is not there, is no number, or cannot be answered now: the operation's handler tells which. */
export function createLookUpAtOnce(deps: {
	readonly current: Current;
	readonly tombstones: Tombstones;
	readonly clock: Clock;
}): (parameter: string, ifNoneMatch: string | null) => ReadyAnswer | undefined {
	let prepared: Prepared | undefined;
	// Memory of its own for each answer would be given back and taken again all the time.
	const room = new Uint8Array(ROOM_BYTES);
	return (parameter, ifNoneMatch) => {
		const loaded = deps.current.get();
		const key = keyOfWritten(parameter);
		if (!loaded || Number.isNaN(key)) return undefined;
		const body = findEntryBytes(loaded, deps.tombstones, key, room);
		if (!body) return undefined;
		const stale = isStale(loaded.run, deps.clock.now());
		if (prepared?.loaded !== loaded || prepared.isStale !== stale) prepared = prepare(loaded, stale);
		const isKnown = ifNoneMatch !== null && matchesEtag(ifNoneMatch, prepared.etag);
		return isKnown ? { body: null, headers: prepared.unmodified } : { body, headers: prepared.full };
	};
}

function prepare(loaded: Loaded, stale: boolean): Prepared {
	const etag = entryEtagOf(loaded.run);
	const headers = { ...toCacheHeaders(loaded.run, LOOKUP_MAX_AGE_SECONDS, stale), etag };
	return {
		loaded,
		isStale: stale,
		etag,
		full: new Headers({ ...JSON_TYPE, ...NO_SNIFFING, ...headers }),
		unmodified: new Headers({ ...NO_SNIFFING, ...headers }),
	};
}
