/** Judged queries for names, with the entries that they mean among thousands of similar ones. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RegistryEntry } from "../../../src/registry";
import { normaliseText } from "../../../src/registry/words/normalise";
import { type Chance, createChance } from "../../support/chance";
import { entry } from "../build";

export type Judged = { readonly kind: string; readonly q: string; readonly relevant: readonly string[] };

type File = {
	readonly entries: readonly (readonly [rnc: string, name: string, tradeName: string, status: string])[];
	readonly queries: Readonly<Record<string, readonly (readonly string[])[]>>;
};

const FILE = join(import.meta.dir, "../../../data/registry/relevance.json");
const file = JSON.parse(readFileSync(FILE, "utf8")) as File;

export const judgedEntries: readonly RegistryEntry[] = file.entries.map(([rnc, name, trade_name, status]) =>
	entry({ rnc, name, trade_name, status }),
);

export const judgedQueries: readonly Judged[] = Object.entries(file.queries).flatMap(([kind, queries]) =>
	queries.map(([q = "", ...relevant]) => ({ kind, q, relevant })),
);

export const DECOYS = 8_000;
const DECOY_LENGTH_MIN = 3;
const JOINTS = [" ", " ", " ", " DE ", " Y ", " DEL ", " LA ", " & "];
const ENDINGS = ["", " SRL", " S.R.L.", " SA", " EIRL", " S R L", " C POR A", " SAS"];

/** Entries of the same words in other combinations: 2 to 4 words, with links and legal forms, half of them active. */
export function makeDecoys(count = DECOYS): RegistryEntry[] {
	const { whole, pick } = createChance(29);
	const words = judgedEntries
		.flatMap(({ name, trade_name }) => normaliseText(`${name} ${trade_name}`).split(" "))
		.filter((word) => word.length >= DECOY_LENGTH_MIN);
	return Array.from({ length: count }, (_, i) => {
		let name = pick(words);
		for (let more = whole(1, 3); more > 0; more--) name += pick(JOINTS) + pick(words);
		const status = pick(["ACTIVO", "SUSPENDIDO"]);
		return entry({ rnc: String(990_100_000 + i), name: name + pick(ENDINGS), trade_name: "", status });
	});
}

const HELD_OUT_KINDS = ["ending", "slip", "slip", "slip", "order", "joined", "split", "extra"] as const;
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** Queries by rule from entries that no author chose. Names of one word, of short words or of several entries are left out. */
export function makeHeldOut(entries: readonly RegistryEntry[], count: number): Judged[] {
	const chance = createChance(31);
	const nameOf = ({ name }: RegistryEntry) => normaliseText(name).replace(/ (SRL|S R L|SA|SAS|S A S|EIRL|CXA)$/, "");
	const owners = new Map<string, number>();
	for (const one of entries) owners.set(nameOf(one), (owners.get(nameOf(one)) ?? 0) + 1);
	const judged: Judged[] = [];
	while (judged.length < count) {
		const one = chance.pick(entries);
		const kind = HELD_OUT_KINDS[judged.length % HELD_OUT_KINDS.length] ?? "ending";
		const words = nameOf(one).split(" ");
		if (words.length < 2 || owners.get(words.join(" ")) !== 1 || words.some((word) => word.length < 4)) continue;
		judged.push({ kind, q: rewrite(kind, words, chance), relevant: [one.rnc] });
	}
	return judged;
}

function rewrite(kind: (typeof HELD_OUT_KINDS)[number], words: readonly string[], chance: Chance): string {
	const name = words.join(" ");
	const at = chance.whole(0, words.length - 1);
	const word = words[at] ?? "";
	const inside = chance.whole(1, word.length - 2);
	const replace = (next: string) => words.with(at, next).join(" ");
	switch (kind) {
		case "ending":
			return `${name} ${chance.pick(["S. R. L.", "SRL", "C POR A", "E.I.R.L."])}`;
		case "slip": {
			const slips = [
				word.slice(0, inside) + word.slice(inside + 1),
				word.slice(0, inside) + (word[inside + 1] ?? "") + (word[inside] ?? "") + word.slice(inside + 2),
				word.slice(0, inside) + chance.pick([...LETTERS]) + word.slice(inside + 1),
			];
			return replace(chance.pick(slips));
		}
		case "order":
			return [...words.slice(1), words[0]].join(" ");
		case "joined":
			return name.replace(" ", "");
		case "split":
			return replace(`${word.slice(0, Math.max(2, inside))} ${word.slice(Math.max(2, inside))}`);
		case "extra":
			return `${name} ${chance.pick(["SUCURSAL", "SANTIAGO", "DOMINICANA"])}`;
	}
}

export type Relevance = { readonly recall: number; readonly reciprocalRank: number };

const LOOKED_AT = 10;

/** The share of the meant entries among the first ten hits, and the mean of 1 / the rank of the first one. */
export function judge(queries: readonly Judged[], search: (q: string) => readonly string[]): Relevance {
	let recall = 0;
	let reciprocalRank = 0;
	for (const judged of queries) {
		const found = search(judged.q).slice(0, LOOKED_AT);
		const met = judged.relevant.filter((rnc) => found.includes(rnc)).length;
		const rank = found.findIndex((rnc) => judged.relevant.includes(rnc));
		recall += met / judged.relevant.length;
		reciprocalRank += rank < 0 ? 0 : 1 / (rank + 1);
	}
	return { recall: recall / queries.length, reciprocalRank: reciprocalRank / queries.length };
}
