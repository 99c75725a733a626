/** The search for taxpayers, in pages. */

import { Type } from "@sinclair/typebox";
import {
	type Call,
	createPlainQuery,
	matchesEtag,
	NEEDS_KEY,
	type Operation,
	type Principal,
	type ReadyAnswer,
	readQuery,
} from "../../platform/operation";
import type { Clock } from "../../platform/values";
import { exampleEntry, RegistrySearchItem, toSearchItem } from "../entry";
import type { HarvestLimit } from "../harvest";
import { createResponseBuffer, type ResponseBuffer, type SearchQuery } from "../index/index";
import { createAbandonedCheck, type Slices, searchSmart } from "../match";
import { type PageHits, type RegistryView, type TakeView, toPageHits, viewOrProblem } from "../runs";
import {
	findHighlights,
	Highlight,
	isHighlighted,
	isSmart,
	sealCursor,
	searchParameters,
	suggestText,
	toSearchQuery,
	type Vocabulary,
} from "../search";
import {
	answerCached,
	cachedHeaders,
	conditionalParameter,
	createReadyHeaders,
	notModified,
	pageEtagOf,
	withoutCachingProblems,
} from "./answers";

type SearchRouteDeps = {
	readonly takeView: TakeView;
	readonly vocabularyFor: (view: RegistryView) => Promise<Vocabulary>;
	readonly slices: Slices;
	readonly cursorKey: Uint8Array;
	readonly clock: Clock;
	readonly harvest: Pick<HarvestLimit, "admit" | "admitAtOnce">;
};

const SEARCH_MAX_AGE_SECONDS = 60;
/** Enough for a page of a hundred long entries. */
const PAGE_BYTES = 32_768;

const Found = Type.Object({
	matched: Type.Optional(
		Type.Union([Type.Literal("joined"), Type.Literal("similar")], {
			description:
				"Only with `mode=smart`, for an entry that `q` as written does not find. `joined`: found with two words joined or one split. `similar`: found by a misspelt word or a similar name.",
		}),
	),
	score: Type.Optional(
		Type.Number({
			minimum: 0,
			maximum: 1,
			description: "With `matched`: how similar the field is to `q`, as in `document:match`.",
		}),
	),
	highlight: Type.Optional(
		Type.Array(Highlight, {
			description:
				"With `highlight=true`: where the words of `q` were found in the searched field, for `any` in the name, in UTF-16 code units.",
		}),
	),
});

/**
 * Gap: the specification's envelope has three members and its items have five. `highlight` appears only if requested, `matched` and
 * `score` only with `mode=smart`, `next` only if there
 * is a next page, and `didYouMean` only if nothing matches. An answer without them is exactly the specification's.
 */
const SearchResult = Type.Object(
	{
		items: Type.Array(Type.Composite([RegistrySearchItem, Found])),
		count: Type.Integer({ description: "Entries in this answer." }),
		partial: Type.Boolean({ description: "True if more entries match." }),
		next: Type.Optional(
			Type.String({ description: "Send it as `after` to get the next page; absent on the last page." }),
		),
		didYouMean: Type.Optional(
			Type.String({ description: "If nothing matches: the closest text of real words that finds something." }),
		),
	},
	{ $id: "RegistrySearchResult" },
);

export function searchDocuments(deps: SearchRouteDeps): Operation {
	const pageDeps = { cursorKey: deps.cursorKey, buffer: createResponseBuffer(PAGE_BYTES) };
	return {
		id: "searchDocuments",
		sdk: "registry.search",
		method: "GET",
		path: "/v1/authority/document:search",
		tag: "Registry",
		summary: "Search taxpayers",
		description:
			"Finds entries whose field has, for each word of `q`, a word that starts with it. Values equal to `q` come first, then values that start with it, then the rest. Within each group, active entries come first, then shorter values, then lower numbers. With `field=document`, it finds numbers that start with `q`, in ascending order. With `mode=smart`, further entries follow that `q` may mean: with two words joined or one split, with misspelt words, and with similar names, the most similar first. Plans limit how many distinct entries a day (UTC) shows.",
		credentials: NEEDS_KEY,
		scope: "registry:read",
		limit: "search",
		parameters: [...searchParameters, conditionalParameter],
		answers: {
			200: {
				description: "One page of matches; empty if nothing matches.",
				schema: SearchResult,
				example: { items: [toSearchItem(exampleEntry)], count: 1, partial: false },
				headers: cachedHeaders(SEARCH_MAX_AGE_SECONDS),
			},
			304: notModified(SEARCH_MAX_AGE_SECONDS),
		},
		problems: ["validation-error", "registry-harvest-limit", "registry-unavailable"],
		isPlenty: true,
		handle: withoutCachingProblems(async (call) => {
			const values = readQuery(call);
			const query = toSearchQuery(values, deps.cursorKey);
			const view = viewOrProblem(deps.takeView);
			const shown = deps.harvest.admit(call);
			const hits = await search(deps, call, view, query, values);
			if (shown) hits.eachKey(shown.add);
			const meant = hits.count === 0 ? await suggest(deps, view, query) : undefined;
			const page = composePage(pageDeps, query, hits, meant);
			return answerCached(call, page, view.run, SEARCH_MAX_AGE_SECONDS, deps.clock.now());
		}),
		answerAtOnce: createFastSearch(deps, pageDeps),
	};
}

async function search(
	deps: SearchRouteDeps,
	call: Call,
	view: RegistryView,
	query: SearchQuery,
	values: Readonly<Record<string, string | undefined>>,
): Promise<PageHits> {
	if (isSmart(values)) {
		const vocabulary = await deps.vocabularyFor(view);
		const found = await deps.slices.run(
			() => searchSmart(view, vocabulary, query, values.q ?? ""),
			createAbandonedCheck(call),
		);
		const hits = found.hits.filter(({ entry }) => !view.isErased(entry.rnc));
		const items = hits.map(({ entry, likeness }) => {
			const item = toSearchItem(entry);
			return { ...item, ...likeness, ...highlightsOf(values, query, found.texts, item) };
		});
		return toPageHits(items, found.more);
	}
	if (!isHighlighted(values)) return view.searchItems(query);
	const { entries, more, last } = view.search(query);
	const items = entries.map((entry) => {
		const item = toSearchItem(entry);
		return { ...item, ...highlightsOf(values, query, [query.text], item) };
	});
	return toPageHits(items, more, last);
}

function highlightsOf(
	values: Readonly<Record<string, string | undefined>>,
	{ field }: SearchQuery,
	texts: readonly string[],
	item: RegistrySearchItem,
): { readonly highlight?: Highlight[] } {
	return isHighlighted(values) ? { highlight: findHighlights(field, texts, item) } : {};
}

/** A page after the last one is empty although nothing is misspelt. */
async function suggest(deps: SearchRouteDeps, view: RegistryView, query: SearchQuery): Promise<string | undefined> {
	if (query.field === "document" || query.after) return undefined;
	return suggestText(view, await deps.vocabularyFor(view), query);
}

/** The fast path of a search: an exact one that finds something and needs no highlights. */

/** Returns undefined for other queries, while nothing is loaded, and if nothing matches, because suggestions take time. Throws: validation-error. */
function createFastSearch(
	{ takeView, clock, harvest }: SearchRouteDeps,
	page: PageDeps,
): (query: string, ifNoneMatch: string | null, principal: Principal) => ReadyAnswer | undefined {
	const read = createPlainQuery(searchParameters);
	const headersOf = createReadyHeaders(clock, SEARCH_MAX_AGE_SECONDS);
	return (text, ifNoneMatch, principal) => {
		const values = read(text);
		if (!values || isSmart(values) || isHighlighted(values)) return undefined;
		const query = toSearchQuery(values, page.cursorKey);
		const shown = harvest.admitAtOnce(principal);
		if (shown === "refused") return undefined;
		const view = takeView();
		const hits = view?.searchItems(query);
		if (!view || !hits || hits.count === 0) return undefined;
		if (shown) hits.eachKey(shown.add);
		const body = composePage(page, query, hits);
		const etag = pageEtagOf(view.run, body);
		const { full, unmodified } = headersOf(view.run);
		const isKnown = ifNoneMatch !== null && matchesEtag(ifNoneMatch, etag);
		const headers = isKnown ? unmodified : full;
		headers.set("etag", etag);
		return { body: isKnown ? null : body, headers };
	};
}

type PageDeps = {
	readonly cursorKey: Uint8Array;
	/** The page is valid until the next one is composed. */
	readonly buffer: ResponseBuffer;
};

/** `meant` is the suggested text if nothing matches. */
function composePage(
	{ cursorKey, buffer }: PageDeps,
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
	return writePage(rest, buffer);
}
