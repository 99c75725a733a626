/** A search for the rim's short road: an exact one that finds something and marks nothing. */
import { createPlainQuery, matchesEtag, type ReadyAnswer } from "../platform/operation";
import type { Clock } from "../platform/values";
import { pageEtagOf } from "./cached-answer";
import { createReadyHeaders } from "./ready-headers";
import { composePage, type PageDeps } from "./search-page";
import { isFuzzy, isHighlighted, searchParameters, toSearchQuery } from "./search-query";
import type { TakeView } from "./view";

/**
 * Undefined for what is not plainly asked, cannot be answered now, or finds nothing, since the search for what was meant takes its time.
 * Throws: validation-error.
 */
export function createSearchAtOnce(
	deps: PageDeps & { readonly takeView: TakeView; readonly clock: Clock; readonly maxAgeSeconds: number },
): (query: string, ifNoneMatch: string | null) => ReadyAnswer | undefined {
	const read = createPlainQuery(searchParameters);
	const headersOf = createReadyHeaders(deps.clock, deps.maxAgeSeconds);
	return (text, ifNoneMatch) => {
		const values = read(text);
		if (!values || isFuzzy(values) || isHighlighted(values)) return undefined;
		const query = toSearchQuery(values, deps.cursorKey);
		const view = deps.takeView();
		const hits = view?.searchItems(query);
		if (!view || !hits || hits.count === 0) return undefined;
		const body = composePage(deps, query, hits);
		const etag = pageEtagOf(view.run, body);
		const { full, unmodified } = headersOf(view.run);
		const isKnown = ifNoneMatch !== null && matchesEtag(ifNoneMatch, etag);
		const headers = isKnown ? unmodified : full;
		headers.set("etag", etag);
		return { body: isKnown ? null : body, headers };
	};
}
