import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import type { RegistryEntry } from "../../../src/registry";
import type { Snapshot } from "../../../src/registry/index/open";
import { type SearchQuery, searchSnapshot } from "../../../src/registry/index/search";
import { canonicalWords } from "../../../src/registry/words/canonical-words";
import { normaliseText } from "../../../src/registry/words/normalise";
import { searchPlainly } from "../../support/search-plainly";
import { entry, parseEntries, SAMPLE, snapshotOf, unzip } from "../build";

const noneErased = () => false;

let all: readonly RegistryEntry[];
let snapshot: Snapshot;

beforeAll(async () => {
	all = parseEntries(await unzip(readFileSync(SAMPLE))).entries;
	snapshot = snapshotOf(all);
});

/** Queries of the data's own words, complete and cut, in any order, some with words that do not occur together. */
function queries(): fc.Arbitrary<SearchQuery> {
	const pickEntry = fc.nat({ max: all.length - 1 }).map((i) => all[i] ?? entry());
	const text = fc
		.record({
			field: fc.constantFrom("name" as const, "trade_name" as const, "economic_activity" as const, "any" as const),
			sources: fc.array(pickEntry, { minLength: 1, maxLength: 2 }),
			picks: fc.array(fc.tuple(fc.nat(7), fc.nat(6)), { minLength: 1, maxLength: 3 }),
			whole: fc.boolean(),
		})
		.map(({ field, sources, picks, whole }) => {
			const from = field === "any" ? "name" : field;
			const { words: own, form } = canonicalWords(sources[0]?.[from] ?? "");
			const asked = form === undefined ? { field } : { field, form };
			const start = own
				.join(" ")
				.slice(0, Math.max(3, (picks[0]?.[1] ?? 0) * 6))
				.trim();
			if (whole && start) return { ...asked, text: start };
			const words = sources.flatMap((e) => normaliseText(e[from]).split(" ")).filter((w) => w !== "");
			const chosen = picks.map(([at, cut]) => (words[at % (words.length || 1)] ?? "SRL").slice(0, cut + 1));
			return { ...(picks.length === 1 ? { field } : asked), text: chosen.join(" ") };
		});
	const document = fc
		.record({ source: pickEntry, digits: fc.integer({ min: 3, max: 11 }) })
		.map(({ source, digits }) => ({ field: "document" as const, text: source.rnc.slice(0, digits) }));
	return fc
		.record({
			what: fc.oneof({ weight: 5, arbitrary: text }, { weight: 1, arbitrary: document }),
			kind: fc.constantFrom(undefined, undefined, "rnc" as const, "cedula" as const),
			status: fc.constantFrom(undefined, undefined, "ACTIVO", "SUSPENDIDO", "CESADO"),
			limit: fc.integer({ min: 1, max: 100 }),
		})
		.map(({ what, kind, status, limit }) => ({ ...what, limit, ...(kind && { kind }), ...(status && { status }) }));
}

const numbers = (list: readonly RegistryEntry[]) => list.map((e) => e.rnc);

describe("compared with a scan of every entry", () => {
	test("hits and their order are equal", () => {
		let hits = 0;
		fc.assert(
			fc.property(queries(), (query) => {
				const expected = searchPlainly(all, query);
				const found = searchSnapshot(snapshot, query, noneErased);
				hits += found.entries.length;
				expect(numbers(found.entries)).toEqual(numbers(expected.slice(0, query.limit)));
				expect(found.more).toBe(expected.length > query.limit);
			}),
			{ numRuns: 2_000 },
		);
		expect(hits).toBeGreaterThan(10_000);
	}, 120_000);

	test("joined pages are complete, without gap or repetition", () => {
		fc.assert(
			fc.property(queries(), fc.integer({ min: 7, max: 60 }), (query, limit) => {
				const joined: RegistryEntry[] = [];
				let page = searchSnapshot(snapshot, { ...query, limit }, noneErased);
				joined.push(...page.entries);
				while (page.more && page.last) {
					page = searchSnapshot(snapshot, { ...query, limit, after: page.last }, noneErased);
					joined.push(...page.entries);
				}
				expect(numbers(joined)).toEqual(numbers(searchPlainly(all, query)));
			}),
			{ numRuns: 100 },
		);
	});

	test("joined pages of a prefix of many words are complete", () => {
		for (const field of ["name", "trade_name", "economic_activity"] as const) {
			for (const text of ["B", "C", "CO", "V D"]) {
				for (const kind of [undefined, "rnc" as const]) {
					const query = { field, text, ...(kind ? { kind } : {}) };
					const joined: RegistryEntry[] = [];
					let page = searchSnapshot(snapshot, { ...query, limit: 8 }, noneErased);
					joined.push(...page.entries);
					while (page.more && page.last) {
						page = searchSnapshot(snapshot, { ...query, limit: 8, after: page.last }, noneErased);
						joined.push(...page.entries);
					}
					expect(numbers(joined)).toEqual(numbers(searchPlainly(all, { ...query, limit: 8 })));
				}
			}
		}
	});

	test("erased entries leave neither hits nor counts, whether or not the file has them", () => {
		const erased = new Set(all.filter((_, i) => i % 3 === 0).map((e) => e.rnc));
		const left = all.filter((e) => !erased.has(e.rnc));
		const rid = snapshotOf(left);
		fc.assert(
			fc.property(queries(), (query) => {
				const expected = searchPlainly(left, query);
				for (const found of [
					searchSnapshot(rid, query, noneErased),
					searchSnapshot(snapshot, query, (digits) => erased.has(digits)),
				]) {
					expect(numbers(found.entries)).toEqual(numbers(expected.slice(0, query.limit)));
					expect(found.more).toBe(expected.length > query.limit);
				}
			}),
			{ numRuns: 300 },
		);
	});

	test("a page continues in the next file even if the previous page's entries are gone", () => {
		fc.assert(
			fc.property(queries(), (query) => {
				const first = searchSnapshot(snapshot, query, noneErased);
				const gone = new Set(numbers(first.entries));
				const next = nextFile(gone);
				if (!first.last) return;
				const expected = searchPlainly(all, query).slice(first.entries.length, first.entries.length + query.limit);
				const second = searchSnapshot(next, { ...query, after: first.last }, noneErased);
				expect(numbers(second.entries)).toEqual(numbers(expected));
			}),
			{ numRuns: 30 },
		);
	});
});

/** Names with a few very frequent words, so that most queries of two or three of them are walked by pairs. */
describe("of frequent words", () => {
	const kinds = ["COMERCIAL", "COMPAÑIA", "INVERSIONES", "GRUPO", "TALLER"];
	const surnames = ["PEREZ", "PEÑA", "PERALTA", "RODRIGUEZ", "ROSARIO", "GOMEZ"];
	const proper = Array.from({ length: 400 }, (_, i) =>
		`${"BCDFGLMNPR"[i % 10]}${"AEIOU"[i % 5]}${i.toString(36)}`.toUpperCase(),
	);
	const at = (list: readonly string[], n: number) => list[n % list.length] ?? "";
	const many = Array.from({ length: 12_000 }, (_, i) => {
		const mixed = Math.imul(i + 1, 2_654_435_761) >>> 0;
		const [a, b, c] = [mixed >>> 3, mixed >>> 9, mixed >>> 17];
		const one = at(proper, (a % 20) * (b % 20));
		const partners = c % 6 === 0 ? `${at(surnames, a)} & ${at(surnames, b)} ` : "";
		const company = `${at(kinds, (a % 3) * (b % 3))} ${partners}${one} SRL`;
		const name = i % 2 === 0 ? company : `${one} ${at(surnames, a % 5)} ${at(surnames, b % 4)}`;
		const status = c % 5 === 0 ? "SUSPENDIDO" : c % 211 === 0 ? "CESADO" : "ACTIVO";
		const rnc = i % 2 === 0 ? String(990_000_000 + i) : String(99_900_000_000 + i);
		return entry({ rnc, name, status, trade_name: i % 3 === 0 ? name.slice(0, 20) : "" });
	});
	const own = snapshotOf(many);
	const word = fc
		.tuple(fc.constantFrom(...kinds, ...surnames, "SRL", ...proper.slice(0, 12)), fc.nat(12))
		.map(([text, cut]) => normaliseText(text).slice(0, cut < 3 ? cut + 1 : undefined));
	const text = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" "));
	const query = fc.record(
		{
			field: fc.constantFrom("name" as const, "any" as const, "trade_name" as const),
			text,
			form: fc.constantFrom("SRL", "SA"),
			limit: fc.constantFrom(1, 5, 25, 100),
			kind: fc.constantFrom("rnc" as const, "cedula" as const),
			status: fc.constantFrom("ACTIVO", "CESADO"),
		},
		{ requiredKeys: ["field", "text", "limit"] },
	);

	test("hits, their order and every continuation are equal", () => {
		let hits = 0;
		fc.assert(
			fc.property(query, fc.nat(), (asked, cut) => {
				const expected = numbers(searchPlainly(many, asked));
				const found = searchSnapshot(own, asked, noneErased);
				hits += found.entries.length;
				expect({ asked, hits: numbers(found.entries) }).toEqual({ asked, hits: expected.slice(0, asked.limit) });
				expect(found.more).toBe(expected.length > asked.limit);
				// A page of a given length ends behind any hit and returns its position.
				const skipped = expected.length === 0 ? 0 : 1 + (cut % Math.min(expected.length, 600));
				const { last } = searchSnapshot(own, { ...asked, limit: Math.max(1, skipped) }, noneErased);
				if (!last) return;
				const next = searchSnapshot(own, { ...asked, after: last }, noneErased);
				const following = expected.slice(skipped, skipped + asked.limit);
				expect({ asked, skipped, hits: numbers(next.entries) }).toEqual({ asked, skipped, hits: following });
				expect(next.more).toBe(expected.length > skipped + asked.limit);
			}),
			{ numRuns: 1_000 },
		);
		expect(hits).toBeGreaterThan(3_000);
	}, 120_000);

	test("erased ones among them leave neither hits nor counts", () => {
		const isErased = (digits: string) => Number(digits) % 3 === 0;
		const left = many.filter((e) => !isErased(e.rnc));
		fc.assert(
			fc.property(query, (asked) => {
				const expected = numbers(searchPlainly(left, asked));
				const found = searchSnapshot(own, asked, isErased);
				expect({ asked, hits: numbers(found.entries) }).toEqual({ asked, hits: expected.slice(0, asked.limit) });
				expect(found.more).toBe(expected.length > asked.limit);
			}),
			{ numRuns: 300 },
		);
	}, 120_000);
});

const nextFile = (gone: ReadonlySet<string>) => snapshotOf(all.filter((e) => !gone.has(e.rnc)));

test("names written in many ways are found as by a scan, in any field and form", () => {
	const parts = "A B M Y SRL S.R.L. SA EIRL & O'REILLY COCA-COCO HNOS CIA 24/7 KM12 DEL CASA CASITA PEÑA".split(" ");
	const anyName = fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 5 }).map((list) => list.join(" "));
	const named = fc.record({ name: anyName, trade_name: fc.oneof(fc.constant(""), anyName), isActive: fc.boolean() });
	const asked = fc.record({
		field: fc.constantFrom("name" as const, "trade_name" as const, "any" as const),
		q: anyName,
		limit: fc.integer({ min: 1, max: 7 }),
	});
	fc.assert(
		fc.property(
			fc.array(named, { minLength: 20, maxLength: 60 }),
			fc.array(asked, { minLength: 20 }),
			(list, queries) => {
				const own = list.map(({ isActive, ...names }, i) =>
					entry({ ...names, rnc: String(990_000_000 + i), status: isActive ? "ACTIVO" : "CESADO" }),
				);
				const file = snapshotOf(own);
				for (const { q, ...rest } of queries) {
					const { words, form } = canonicalWords(q);
					const query: SearchQuery = { ...rest, text: words.join(" "), ...(form === undefined ? {} : { form }) };
					const joined: RegistryEntry[] = [];
					for (let page = searchSnapshot(file, query, noneErased); ; ) {
						joined.push(...page.entries);
						if (!page.more || !page.last) break;
						page = searchSnapshot(file, { ...query, after: page.last }, noneErased);
					}
					expect({ query, hits: numbers(joined) }).toEqual({ query, hits: numbers(searchPlainly(own, query)) });
				}
			},
		),
		{ numRuns: 25 },
	);
});

test("other scripts, many words and repeated words are found as by a scan", () => {
	const named = (rnc: number, name: string) => entry({ rnc: String(990_000_000 + rnc), name });
	const own = [
		named(1, "ÆTHER ØRSTED ŁÓDŹ"),
		named(2, "北京 烤鸭 SRL"),
		named(3, "SAN SAN SAN JUAN"),
		named(4, "SAN JUAN"),
		named(5, `${"PALABRA ".repeat(40)}FINAL`),
		named(6, "1ª AVENIDA Nº 5"),
		named(7, "CAFE\u0301 DEL SOL"),
		named(8, "CAFÉ DEL SOL"),
		named(9, "..."),
		named(10, ""),
		named(11, 'EL "BUEN" GUSTO \\ HNOS'),
		named(12, "STRAßE"),
		named(13, "STRASSE"),
	];
	const snapshotOfOwn = snapshotOf(own);
	for (const word of ["ÆTHER", "ORSTED", "ØRSTED", "北", "SAN", "SAN SAN", "SAN J", "PALABRA", "FINAL PALABRA"]) {
		expectAlike(snapshotOfOwn, own, word);
	}
	for (const word of [
		"1ª",
		"AVENIDA N",
		"CAFE",
		"CAFE DEL SOL",
		"BUEN",
		"HNOS",
		"STRASSE",
		"STRAS",
		"ZZZ",
		"A",
		"S S",
	]) {
		expectAlike(snapshotOfOwn, own, word);
	}
});

function expectAlike(own: Snapshot, list: readonly RegistryEntry[], word: string): void {
	const query: SearchQuery = { field: "name", text: normaliseText(word), limit: 100 };
	expect({ word, hits: searchSnapshot(own, query, noneErased).entries }).toEqual({
		word,
		hits: searchPlainly(list, query),
	});
}

test("thousands of hits are walked, merged and paged as by a scan", () => {
	const words = Array.from({ length: 3_000 }, (_, i) => `CO${i.toString(36).toUpperCase()}`);
	const many = Array.from({ length: 40_000 }, (_, i) => {
		const name = `${words[(i * 7_919) % 3_000]} ${words[(i * 104_729) % 2_999]}${i % 3 === 0 ? " COMUN" : ""}`;
		const status = i % 5 === 0 ? "SUSPENDIDO" : i % 997 === 0 ? "CESADO" : "ACTIVO";
		return entry({ rnc: String(990_000_000 + i), name, trade_name: i % 2 === 0 ? "COMUN DENOMINADOR" : "", status });
	});
	const own = snapshotOf(many);
	const texts = ["CO", "C", "COM", "COMUN", "CO1 CO2", "CO COM", "COMUN CO1", "CO1", "COMUN D", "COMUN DENOMINADOR"];
	for (const field of ["name", "trade_name"] as const) {
		for (const text of texts) {
			for (const status of [undefined, "CESADO"]) {
				const query: SearchQuery = { field, text, limit: 100, ...(status === undefined ? {} : { status }) };
				const expected = numbers(searchPlainly(many, query));
				let page = searchSnapshot(own, query, noneErased);
				const joined = numbers(page.entries);
				for (let pages = 1; page.last && page.more && pages < 12; pages++) {
					page = searchSnapshot(own, { ...query, after: page.last }, noneErased);
					joined.push(...numbers(page.entries));
				}
				expect({ field, text, status, joined }).toEqual({
					field,
					text,
					status,
					joined: expected.slice(0, joined.length),
				});
				if (!page.more) expect(joined.length).toBe(expected.length);
			}
		}
	}
}, 120_000);

test("equal values rank first, then prefixes, then the rest, active and short first", () => {
	const named = (rnc: string, name: string, status = "ACTIVO") => entry({ rnc, name, status });
	const own = snapshotOf([
		named("990000001", "EL FARO NORTE"),
		named("990000002", "FARO NORTE SUR"),
		named("990000003", "FARO", "SUSPENDIDO"),
		named("990000004", "FARO NORTE"),
		named("990000005", "FARO"),
		named("990000006", "LA FAROLA"),
		named("990000007", "FARO NORTE"),
		named("990000008", "EL FARO", "ANULADO"),
	]);
	const found = searchSnapshot(own, { field: "name", text: "FARO", limit: 10 }, noneErased);
	expect(found.entries.map((e) => e.rnc.slice(-1)).join("")).toBe("53472618");
});
