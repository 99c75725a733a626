/** One page of a search as the JSON that is answered. */
import { sealCursor } from "./cursor";
import type { SearchQuery } from "./index/search";
import type { Room } from "./response-buffer";
import type { PageHits } from "./view";

export type PageDeps = {
	readonly cursorKey: Uint8Array;
	/** The page is good until the next one is composed. */
	readonly room: Room;
};

/** `meant` is the text to suggest where nothing was found. */
export function composePage(
	{ cursorKey, room }: PageDeps,
	query: SearchQuery,
	{ count, more, last, writePage }: PageHits,
	meant?: string,
): Buffer<ArrayBuffer> {
	const rest = {
		count,
		partial: more,
		...(more && last ? { next: sealCursor(cursorKey, query, last) } : {}),
		...(meant === undefined ? {} : { didYouMean: meant }),
	};
	return writePage(rest, room);
}
