/** The rules of the registry's search without an index: every entry is compared. */
import type { RegistryEntry, SearchQuery } from "../../src/registry";
import { normaliseText } from "../../src/registry/index/index";

/** The tests run thousands of queries over the same values. */
const folded = new Map<string, string>();

function fold(value: string): string {
	const known = folded.get(value) ?? normaliseText(value);
	folded.set(value, known);
	return known;
}

/** All hits, the best first. */
export function searchPlainly(all: readonly RegistryEntry[], query: SearchQuery): RegistryEntry[] {
	const ofKind = all.filter((e) => !query.kind || (query.kind === "rnc" ? e.rnc.length === 9 : e.rnc.length === 11));
	const pool = ofKind.filter((e) => !query.status || e.status === query.status);
	const byNumber = (a: RegistryEntry, b: RegistryEntry) => (a.rnc < b.rnc ? -1 : 1);
	if (query.field === "document") return pool.filter((e) => e.rnc.startsWith(query.text)).sort(byNumber);
	const field = query.field;
	const folding = (e: RegistryEntry) => fold(e[field]);
	const words = query.text.split(" ");
	const hits = pool.filter((e) => words.every((word) => ` ${folding(e)}`.includes(` ${word}`)));
	const rank = (e: RegistryEntry) => (folding(e) === query.text ? 0 : folding(e).startsWith(query.text) ? 1 : 2);
	const active = (e: RegistryEntry) => (e.status === "ACTIVO" ? 0 : 1);
	return hits.sort(
		(a, b) => rank(a) - rank(b) || active(a) - active(b) || folding(a).length - folding(b).length || byNumber(a, b),
	);
}
