/** The rules of the registry's search without an index: every entry is compared. */
import type { RegistryEntry, SearchQuery } from "../../src/registry";
import { canonicalWords, isLink, normaliseText } from "../../src/registry/words";

type Folded = {
	readonly words: string;
	/** With a space before each, extra words behind. */
	readonly found: string;
	readonly forms: readonly string[];
	readonly length: number;
};

/** The tests run thousands of queries over the same values. */
const folded = new Map<string, Folded>();

function fold(value: string): Folded {
	const known = folded.get(value);
	if (known) return known;
	const { words, extras } = canonicalWords(value);
	const made = {
		words: words.join(" "),
		found: [...words, ...extras].map((word) => ` ${word}`).join(""),
		forms: extras,
		length: normaliseText(value).length,
	};
	folded.set(value, made);
	return made;
}

/** An activity has no extra words. */
function foldOf(entry: RegistryEntry, field: "name" | "trade_name" | "economic_activity"): Folded {
	const own = fold(entry[field]);
	return field === "economic_activity" ? { ...own, found: ` ${own.words}`, forms: [] } : own;
}

/** The place of a value among the hits, the best first; undefined if it is none. */
function placeOf(value: Folded, { text, form }: SearchQuery, isActive: boolean): number[] | undefined {
	const words = text.split(" ");
	const needed = words.filter((word) => !isLink(word));
	if (!(needed.length > 0 ? needed : words).every((word) => value.found.includes(` ${word}`))) return undefined;
	const rank = value.words === text ? 0 : value.words.startsWith(text) ? 1 : 2;
	const isOther = form !== undefined && !value.forms.includes(form);
	return [rank, isOther ? 1 : 0, isActive ? 0 : 1, value.length];
}

function compare(a: readonly number[], b: readonly number[]): number {
	return a.map((number, i) => number - (b[i] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

/** All hits, the best first. */
export function searchPlainly(all: readonly RegistryEntry[], query: SearchQuery): RegistryEntry[] {
	const ofKind = all.filter((e) => !query.kind || (query.kind === "rnc" ? e.rnc.length === 9 : e.rnc.length === 11));
	const pool = ofKind.filter((e) => !query.status || e.status === query.status);
	const byNumber = (a: RegistryEntry, b: RegistryEntry) => (a.rnc < b.rnc ? -1 : 1);
	if (query.field === "document") return pool.filter((e) => e.rnc.startsWith(query.text)).sort(byNumber);
	const fields = query.field === "any" ? (["name", "trade_name"] as const) : [query.field];
	const hits = pool.flatMap((entry) => {
		const places = fields.flatMap((field) => {
			const place = placeOf(foldOf(entry, field), query, entry.status === "ACTIVO");
			return place ? [place] : [];
		});
		const [best] = places.sort(compare);
		return best ? [{ entry, best }] : [];
	});
	return hits.sort((a, b) => compare(a.best, b.best) || byNumber(a.entry, b.entry)).map(({ entry }) => entry);
}
