/**
 * Search of the documentation: sections of the guides, operations, problems and codes of the authority, in one language. The index is built at the
 * first search and kept.
 *
 * A section's rank is the sum of its words' rarity, more for words of titles and headings; a query's words are all wanted, and a word of the
 * glossary also finds its other names.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Language } from "../../../platform/problem";
import { escapeHtml, type Html } from "../../html";

export type Entry = {
	readonly url: string;
	/** Of the page. */
	readonly title: string;
	/** Of the section; the title again for a page's beginning. */
	readonly heading: string;
	readonly text: string;
	/** How much rather it is shown than others; absent: 1. */
	readonly factor?: number;
};

export type Hit = Omit<Entry, "text" | "factor"> & {
	/** Text around the first word that was found. */
	readonly excerpt: string;
};

const HITS_MAX = 20;
/** Of the same page. */
const PAGE_HITS_MAX = 2;
const EXCERPT_CHARACTERS = 180;
const WEIGHTS = { title: 8, heading: 7, text: 1 } as const;
/** A word that only begins like the query's last one, and a name of the glossary that was not typed. */
const PREFIX_FACTOR = 0.25;
const SYNONYM_FACTOR = 0.9;

const SKIPPED = new Set(
	"a al an and are as at be by can como con cual cuando de del do does el en es for from how i in is it la las lo los me mi my of on or para por que se si su sus the to un una what when y".split(
		" ",
	),
);

/** Longer words that a query's last word may begin. */
const LONGER_MAX = 50;

/**
 * Weight of each word in each entry that has it. The entries of word `n` stand from `starts[n]` to `starts[n + 1]`: lists of numbers take a tenth of
 * the memory of maps.
 */
type WeighedWords = {
	/** Sorted. */
	readonly vocabulary: readonly string[];
	readonly starts: Uint32Array;
	readonly places: Uint16Array;
	readonly weights: Float32Array;
};

export type SearchIndex = { readonly search: (query: string) => Hit[] };

export function createSearchIndex(given: readonly Entry[], synonyms: readonly (readonly string[])[]): SearchIndex {
	const entries = copy(given);
	const { vocabulary, starts, places, weights } = weighWords(entries);
	const groups = synonyms.map((names) => names.map((name) => toWords(name)));

	const find = (word: string, isLast: boolean): Map<number, number> => {
		const found = new Map<number, number>();
		const add = (n: number, factor: number) => {
			const [start = 0, end = 0] = starts.subarray(n, n + 2);
			const rarity = Math.log(1 + entries.length / (end - start));
			for (let i = start; i < end; i++) {
				const [place = 0, weight = 0] = [places[i], weights[i]];
				found.set(place, Math.max(found.get(place) ?? 0, weight * rarity * factor));
			}
		};
		const at = findStart(vocabulary, word);
		if (vocabulary[at] === word) add(at, 1);
		if (!isLast || word.length < 2) return found;
		for (let n = at; n < at + LONGER_MAX && vocabulary[n]?.startsWith(word); n++) add(n, PREFIX_FACTOR);
		return found;
	};
	const rank = (words: readonly string[], factor: number, ranks: Map<number, number>): void => {
		const sums = new Map<number, { sum: number; words: number }>();
		for (const [i, word] of words.entries())
			for (const [n, value] of find(word, i === words.length - 1)) {
				const before = sums.get(n) ?? { sum: 0, words: 0 };
				sums.set(n, { sum: before.sum + value, words: before.words + 1 });
			}
		for (const [n, { sum, words: matched }] of sums)
			ranks.set(n, Math.max(ranks.get(n) ?? 0, sum * (matched / words.length) ** 2 * factor));
	};

	return {
		search(query) {
			const words = toWords(query).slice(0, 12);
			if (words.length === 0) return [];
			const ranks = new Map<number, number>();
			rank(words, 1, ranks);
			for (const other of replaceSynonyms(words, groups)) rank(other, SYNONYM_FACTOR, ranks);
			const ofPage = new Map<string, number>();
			return [...ranks]
				.sort(([, a], [, b]) => b - a)
				.flatMap(([n]) => entries[n] ?? [])
				.filter(({ url }) => {
					const page = url.replace(/#.*/, "");
					ofPage.set(page, (ofPage.get(page) ?? 0) + 1);
					return (ofPage.get(page) ?? 0) <= PAGE_HITS_MAX;
				})
				.slice(0, HITS_MAX)
				.map(({ text, factor: _, ...hit }) => ({ ...hit, excerpt: toExcerpt(text, words) }));
		},
	};
}

function weighWords(entries: readonly Entry[]): WeighedWords {
	/** Entry and weight by turns. */
	const found = new Map<string, number[]>();
	for (const [n, entry] of entries.entries()) {
		const weightOf = new Map<string, number>();
		for (const [field, weight] of Object.entries(WEIGHTS)) {
			// A page's title counts once, at its beginning.
			if (field === "heading" && entry.heading === entry.title) continue;
			const share = field === "title" && entry.heading !== entry.title ? 0.3 : 1;
			const words = toWords(entry[field as keyof typeof WEIGHTS]);
			const counts = new Map<string, number>();
			for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
			for (const [word, count] of counts) {
				// One word of a short heading says more than one of a long one.
				const times = field === "text" ? Math.min(1 + Math.log(count), 2.5) : 1 / Math.sqrt(words.length);
				weightOf.set(word, (weightOf.get(word) ?? 0) + weight * share * times * (entry.factor ?? 1));
			}
		}
		for (const [word, weight] of weightOf) {
			const list = found.get(word);
			if (list) list.push(n, weight);
			else found.set(word, [n, weight]);
		}
	}
	// Words are parts of the texts that they were found in; copies let those go.
	const vocabulary: string[] = copy([...found.keys()].sort());
	const lists = vocabulary.map((word) => found.get(word) ?? []);
	const starts = new Uint32Array(vocabulary.length + 1);
	for (const [n, list] of lists.entries()) starts[n + 1] = (starts[n] ?? 0) + list.length / 2;
	const pairs = lists.flat();
	return {
		...{ vocabulary, starts },
		places: Uint16Array.from({ length: pairs.length / 2 }, (_, i) => pairs[2 * i] ?? 0),
		weights: Float32Array.from({ length: pairs.length / 2 }, (_, i) => pairs[2 * i + 1] ?? 0),
	};
}

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** The query with one name of a thing in place of another; at most 20 forms. */
function replaceSynonyms(words: readonly string[], groups: readonly (readonly string[][])[]): string[][] {
	const line = ` ${words.join(" ")} `;
	return groups
		.flatMap((names) => {
			const typed = names.find((name) => line.includes(` ${name.join(" ")} `));
			if (!typed) return [];
			return names
				.filter((name) => name !== typed)
				.map((name) =>
					line
						.replace(` ${typed.join(" ")} `, ` ${name.join(" ")} `)
						.trim()
						.split(" "),
				);
		})
		.slice(0, 20);
}

/** The place of the first word that is not before this one. */
function findStart(vocabulary: readonly string[], word: string): number {
	let low = 0;
	for (let high = vocabulary.length; low < high; ) {
		const middle = (low + high) >> 1;
		if ((vocabulary[middle] ?? "") < word) low = middle + 1;
		else high = middle;
	}
	return low;
}

const fold = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Words without accents and endings, so that `claves` finds `clave`. */
function toWords(text: string): string[] {
	const words = fold(text).match(/[a-z0-9]+/g) ?? [];
	return words.filter((word) => !SKIPPED.has(word)).map(toStem);
}

function toStem(word: string): string {
	if (word.length < 4 || /\d/.test(word)) return word;
	const stem = word.replace(/s$/, "").replace(/y$/, "i");
	return stem.length > 4 ? stem.replace(/[aeo]$/, "") : stem;
}

function toExcerpt(text: string, words: readonly string[]): string {
	const at = [...text.matchAll(/[\p{L}\p{M}\d]+/gu)].find(([word]) => words.includes(toStem(fold(word))))?.index ?? 0;
	const start = at < 60 ? 0 : text.indexOf(" ", at - 60) + 1;
	const cut = text.slice(start, start + EXCERPT_CHARACTERS);
	const end = start + EXCERPT_CHARACTERS < text.length ? `${cut.slice(0, cut.lastIndexOf(" "))} …` : cut;
	return start > 0 ? `… ${end}` : end;
}

/** Marks the words of a query in a text. */
export function markWords(text: string, query: string): Html {
	const words = toWords(query);
	return text
		.split(/([\p{L}\p{M}\d]+)/u)
		.map((part) => (words.includes(toStem(fold(part))) ? `<mark>${escapeHtml(part)}</mark>` : escapeHtml(part)))
		.join("");
}

/** A page's sections: each begins at a heading. */
export function toEntries(html: Html, page: { readonly url: string; readonly title: string }): Entry[] {
	return html.split(/(?=<h[1-4] id=")/).map((part) => {
		const [, level, id = "", heading = ""] =
			/^<h([1-4]) id="([^"]+)">([\s\S]*?)(?:<a class="anchor"|<\/h)/.exec(part) ?? [];
		const isStart = level === "1" || level === undefined;
		return {
			url: isStart ? page.url : `${page.url}#${id}`,
			title: page.title,
			heading: isStart ? page.title : toText(heading),
			text: toText(part.replace(/^<h[1-4][\s\S]*?<\/h[1-4]>/, "").replace(/<button[\s\S]*?<\/button>/g, "")),
		};
	});
}

function toText(html: Html): string {
	return html
		.replace(/<\/?(?:i|var|strong|em|code|a|mark)\b[^>]*>/g, "")
		.replace(/<[^>]*>/g, " ")
		.replace(/&lt;/g, "<")
		.replace(/&gt;/g, ">")
		.replace(/&quot;/g, '"')
		.replace(/&#39;/g, "'")
		.replace(/&amp;/g, "&")
		.replace(/\s+/g, " ")
		.trim();
}

/** Names of the same thing: those of the glossary, and words that readers type. */
export function readSynonyms(): string[][] {
	const path = join(import.meta.dir, "../../../../data/docs/glossary.json");
	const { terms, searched } = JSON.parse(readFileSync(path, "utf8")) as {
		terms: readonly Record<Language, string[]>[];
		searched: string[][];
	};
	return [...terms.map(({ en, es }) => [...es, ...en]), ...searched];
}
