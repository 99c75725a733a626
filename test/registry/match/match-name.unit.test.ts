import { describe, expect, test } from "bun:test";
import { exampleEntry, type RegistryEntry } from "../../../src/registry/entry";
import { type SearchQuery, searchSnapshot } from "../../../src/registry/index/search";
import { matchName } from "../../../src/registry/match/match-name";
import { scoreNames, toNameWords, weighName, wordLikeness } from "../../../src/registry/match/name-score";
import { buildVocabulary } from "../../../src/registry/search/vocabulary";
import { snapshotOf } from "../build";
import { viewOf } from "../in-memory";
import { buildWords, createRandom } from "../search/build-words";
import { finish } from "./finish";

const vocabulary = await buildVocabulary(buildWords(20_000));
const score = (a: string, b: string) => scoreNames(weighName(vocabulary, a), weighName(vocabulary, b));
const wordsOf = (name: string) => toNameWords(name).map(({ word, kind }) => `${word} ${kind}`);

describe("the words of a name", () => {
	test("treat legal forms as one word, however written", () => {
		for (const form of ["SRL", "S.R.L.", "s r l", "S. R. L."])
			expect(wordsOf(`Peña ${form}`)).toEqual(["PENA proper", "SRL form"]);
		expect(wordsOf("Peña, C. por A.")).toEqual(["PENA proper", "CXA form"]);
		expect(wordsOf("Peña E.I.R.L.")).toEqual(["PENA proper", "EIRL form"]);
	});

	test("join initials, know link words, and may be empty", () => {
		expect(wordsOf("J. R. Comercial de la Peña")).toEqual([
			"JR joined",
			"COMERCIAL proper",
			"DE link",
			"LA link",
			"PENA proper",
		]);
		expect(wordsOf(" -.,& ")).toEqual([]);
	});

	test("separate a form after initials, however both are written", () => {
		for (const name of ["J & M SRL", "J&M, S.R.L.", "J. M. S. R. L."])
			expect(wordsOf(name)).toEqual(["JM joined", "SRL form"]);
		expect(wordsOf("J. S.R.L.")).toEqual(["J proper", "SRL form"]);
		expect(wordsOf("T.E.S.A.")).toEqual(["TESA joined"]);
		expect(wordsOf("J. S. Peña")).toEqual(["JS joined", "PENA proper"]);
	});
});

describe("the score of two names", () => {
	test.each([
		["Ferretería El Progreso, S.R.L.", "FERRETERIA EL PROGRESO SRL"],
		["PEREZ RODRIGUEZ JUAN", "JUAN PEREZ RODRIGUEZ"],
		["Inversiones Peña & Núñez", "INVERSIONES PENA NUNEZ"],
	])("%p and %p have the same words: 1", (a, b) => {
		expect(score(a, b)).toBe(1);
	});

	test.each([
		["Fereteria El Progreso SRL", "FERRETERIA EL PROGRESO SRL", 0.95],
		["FERRETERIA EL PROGRESO", "FERRETERIA EL PROGRESO SRL", 0.95],
		["FERRETERIA EL PROGRESO SA", "FERRETERIA EL PROGRESO SRL", 0.9],
		["FERRETERIA PROGRESO SRL", "FERRETERIA EL PROGRESO SRL", 0.85],
		["JUAN PERES RODRIGES", "JUAN PEREZ RODRIGUEZ", 0.85],
	])("%p and %p are similar", (a, b, least) => {
		expect(score(a, b)).toBeGreaterThan(least);
		expect(score(a, b)).toBeLessThan(1);
	});

	test.each([
		["FERRETERIA EL PROGRESO SRL", "COLMADO EL PROGRESO SRL"],
		["JUAN PEREZ", "JUAN PEREZ RODRIGUEZ CASTILLO"],
		["FERRETERIA SRL", "CONSTRUCTORA SRL"],
		["SRL", "FERRETERIA EL PROGRESO SRL"],
	])("%p and %p are not", (a, b) => {
		expect(score(a, b)).toBeLessThan(0.8);
	});

	test("is symmetric, and 0 for a name without words", () => {
		for (const [a, b] of [
			["FERETERIA EL PROGRESO", "FERRETERIA PROGRESO SRL"],
			["PERES PEREZ", "PEREZ"],
		] as const) {
			expect(score(a, b)).toBe(score(b, a));
		}
		expect(score("...", "FERRETERIA")).toBe(0);
		expect(score("...", "...")).toBe(0);
	});

	test("is above 0 for words with few different letters only", () => {
		expect(wordLikeness("PEREZ", "PEREZ")).toBe(1);
		expect(wordLikeness("PERES", "PEREZ")).toBe(0.9);
		expect(wordLikeness("CASTIYO", "CASTILLO")).toBeGreaterThan(0.85);
		for (const [a, b] of [
			["PEREZ", "LOPEZ"],
			["SA", "SAS"],
			["2000", "2001"],
			["PANADERIA", "CAFETERIA"],
		] as const) {
			expect(wordLikeness(a, b)).toBe(0);
		}
	});
});

const random = createRandom(5);
const pick = <T>(items: readonly T[]): T => {
	const item = items[random(items.length)];
	if (item === undefined) throw new Error("nothing to pick from");
	return item;
};
const common = [...buildWords(300).entries()].filter(([word]) => word.length >= 4).map(([word]) => word);
const frequent = common.slice(-60);
const invent = (): string => {
	const words = [
		pick(frequent),
		pick(common),
		...(random(3) === 0 ? ["EL"] : []),
		pick(common),
		...(random(2) ? [pick(frequent)] : []),
	];
	return `${words.join(" ")}${pick(["", " SRL", " S.R.L.", " SA"])}`;
};
const entries: RegistryEntry[] = Array.from({ length: 1_200 }, (_, i) => ({
	...exampleEntry,
	rnc: String(990_000_000 + i),
	name: invent(),
	trade_name: random(4) === 0 ? `${pick(common)} ${pick(common)}` : "",
	status: random(3) === 0 ? "SUSPENDIDO" : "ACTIVO",
}));
const view = viewOf(entries);
const words = await buildVocabulary(view.words());
const best = (name: string, minScore = 0.8, limit = 10) => finish(matchName(view, words, name, { minScore, limit }));

/** The result of comparing the name with every entry. */
function compareAll(name: string, minScore: number, limit: number) {
	const asked = weighName(words, name);
	const scoreOf = (other: string) => (other === "" ? 0 : scoreNames(asked, weighName(words, other)));
	return entries
		.map((entry) => ({ entry, byName: scoreOf(entry.name), byTradeName: scoreOf(entry.trade_name) }))
		.map(({ entry, byName, byTradeName }) => ({
			score: Math.max(byName, byTradeName),
			field: byTradeName > byName ? ("trade_name" as const) : ("name" as const),
			entry,
		}))
		.filter((match) => match.score >= minScore)
		.sort(
			(a, b) =>
				b.score - a.score ||
				Number(b.entry.status === "ACTIVO") - Number(a.entry.status === "ACTIVO") ||
				(a.entry.rnc < b.entry.rnc ? -1 : 1),
		)
		.slice(0, limit);
}

function misspell(name: string): string {
	const at = 1 + random(name.length - 2);
	return pick([
		name.slice(0, at) + name.slice(at + 1),
		name.slice(0, at) + (name[at] ?? "") + name.slice(at),
		`${name.slice(0, at)}${name[at + 1] ?? ""}${name[at] ?? ""}${name.slice(at + 2)}`,
		name.replace(/Z/g, "S"),
		name.split(" ").reverse().join(" "),
		name.replace(/ (SRL|S\.R\.L\.|SA)$/, ""),
	]);
}

describe("the best entries of a name", () => {
	test("equal those of a comparison with every entry, misspelt or not", async () => {
		for (let i = 0; i < 30; i++) {
			const { name } = pick(entries);
			const asked = i % 3 === 0 ? name : misspell(name);
			expect({ asked, matches: await best(asked) }).toEqual({ asked, matches: compareAll(asked, 0.8, 10) });
		}
	});

	test("equal those for other minimum scores too", async () => {
		for (const minScore of [0.65, 0.9, 1]) {
			for (let i = 0; i < 10; i++) {
				const asked = i % 2 === 0 ? pick(entries).name : misspell(pick(entries).name);
				expect({ asked, first: (await best(asked, minScore))[0] }).toEqual({
					asked,
					first: compareAll(asked, minScore, 1)[0],
				});
			}
		}
	});

	test("have the more similar of their two names", async () => {
		const withTradeName = entries.find((entry) => entry.trade_name !== "");
		const match = (await best(withTradeName?.trade_name ?? "")).find(({ entry }) => entry === withTradeName);
		expect(match).toMatchObject({ score: 1, field: "trade_name" });
	});

	test("are stable, at most the limit, and none for a name without words", async () => {
		const { name } = pick(entries);
		expect(await best(name)).toEqual(await best(name));
		expect(await best(name, 0.5, 1)).toHaveLength(1);
		expect(await best("...")).toEqual([]);
		expect(await best("WKWKWKWK ZXZXZXZX")).toEqual([]);
	});

	test("a name of initials is found as written and with another form", async () => {
		const named = (name: string, i: number) => ({
			...exampleEntry,
			rnc: String(991_000_000 + i),
			name,
			trade_name: "",
		});
		const initials = ["J & M SRL", "T.G.V., S.R.L.", "Q & W", "LA A & B"].map(named);
		const other = viewOf([...initials, ...entries]);
		const known = await buildVocabulary(other.words());
		for (const [name, i] of [
			...([
				["J & M SRL", 0],
				["J&M, S.R.L.", 0],
				["J. M. S. R. L.", 0],
			] as const),
			...([
				["T.G.V. SRL", 1],
				["T G V, S.R.L.", 1],
				["Q. W., S.R.L.", 2],
				["La A & B", 3],
			] as const),
		]) {
			const [found] = finish(matchName(other, known, name, { minScore: 0.8, limit: 1 }));
			expect([name, found?.entry.rnc, (found?.score ?? 0) > 0.8]).toEqual([name, initials[i]?.rnc, true]);
		}
	});

	test("a name of very common words is found as written", async () => {
		const six = ["ALFA", "BRAVO", "CHARLIE", "DELTA", "FOXTROT", "GOLFO"];
		const fours = Array.from({ length: 64 }, (_, mask) => six.filter((_, i) => (mask >> i) & 1)).filter(
			({ length }) => length === 4,
		);
		const names = [six.join(" "), ...Array.from({ length: 600 }, (_, i) => fours[i % fours.length]?.join(" ") ?? "")];
		const rows = names.map((name, i) => ({ ...exampleEntry, rnc: String(992_000_000 + i), name, trade_name: "" }));
		const crowd = viewOf(rows);
		const known = await buildVocabulary(crowd.words());
		const [found] = finish(matchName(crowd, known, six.join(" "), { minScore: 0.5, limit: 1 }));
		expect([found?.score, found?.entry.rnc]).toEqual([1, "992000000"]);
	});

	test("a name with a repeated word is found in any order among many shorter ones", async () => {
		const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
		const shorter = letters.flatMap((a) => letters.slice(0, 6).map((b) => `NIBE RODRIGUEZ ${a}${b}`));
		const doubled = ["NIBE RODRIGUEZ RODRIGUEZ", "ANA ANABEL PEREZ"];
		const others = letters.flatMap((a) => letters.slice(0, 6).map((b) => `ANABEL PEREZ ${a}${b}`));
		const rows = [...shorter, ...others, ...doubled].map((name, i) => ({
			...exampleEntry,
			...{
				rnc: String(993_000_000 + i),
				name,
				trade_name: "",
				status: name.startsWith("ANA ") ? "SUSPENDIDO" : "ACTIVO",
			},
		}));
		const file = snapshotOf(rows);
		const crowd = { ...viewOf(rows), search: (query: SearchQuery) => searchSnapshot(file, query, undefined) };
		const known = await buildVocabulary(crowd.words());
		for (const [asked, name] of [
			["RODRIGUEZ RODRIGUEZ NIBE", doubled[0]],
			["Rodríguez Rodríguez, Nibe", doubled[0]],
			["RODRIGUEZ NIBE RODRIGUEZ", doubled[0]],
			["PEREZ ANABEL ANA", doubled[1]],
			["ANABEL ANA PEREZ", doubled[1]],
		] as const) {
			const [found] = finish(matchName(crowd, known, asked, { minScore: 0.8, limit: 1 }));
			expect([asked, found?.entry.name, found?.score]).toEqual([asked, name, 1]);
		}
	});

	test("a long name costs a bounded number of searches", async () => {
		let searches = 0;
		const counting: typeof view.search = (query) => {
			searches++;
			return view.search(query);
		};
		finish(matchName({ search: counting }, words, common.slice(0, 30).join(" "), { minScore: 0.5, limit: 10 }));
		expect(searches).toBeLessThanOrEqual(84);
	});
});
