/** A look-up from memory alone, for the rim's short road: no promise, no URL, no headers made of names and values. */
import { matchesEtag, type ReadyAnswer } from "../platform/operation";
import type { Clock } from "../platform/values";
import { entryEtagOf } from "./cached-answer";
import { type Current, findEntryBytes } from "./current";
import { LOOKUP_MAX_AGE_SECONDS } from "./erasure/record";
import type { Tombstones } from "./erasure/tombstones";
import { keyOfWritten } from "./index/document-key";
import { createReadyHeaders } from "./ready-headers";
import { createRoom } from "./response-buffer";

/** Few entries are longer. */
const ROOM_BYTES = 4_096;

/** Undefined for what is not there, is no number, or cannot be answered now: the operation's handler tells which. */
export function createLookUpAtOnce(deps: {
	readonly current: Current;
	readonly tombstones: Tombstones;
	readonly clock: Clock;
}): (parameter: string, ifNoneMatch: string | null) => ReadyAnswer | undefined {
	const room = createRoom(ROOM_BYTES);
	const headersOf = createReadyHeaders(deps.clock, LOOKUP_MAX_AGE_SECONDS, (run) => ({ etag: entryEtagOf(run) }));
	return (parameter, ifNoneMatch) => {
		const loaded = deps.current.get();
		const key = keyOfWritten(parameter);
		if (!loaded || Number.isNaN(key)) return undefined;
		const body = findEntryBytes(loaded, deps.tombstones, key, room);
		if (!body) return undefined;
		const { full, unmodified } = headersOf(loaded.run);
		const isKnown = ifNoneMatch !== null && matchesEtag(ifNoneMatch, entryEtagOf(loaded.run));
		return isKnown ? { body: null, headers: unmodified } : { body, headers: full };
	};
}
