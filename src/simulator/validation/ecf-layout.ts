/** Reads the tables of the e-CF's elements into a layout for each type. */
import { ECF_BODY_TABLE } from "./ecf-body-table";
import { ECF_HEADER_TABLE } from "./ecf-header-table";
import {
	AMOUNT,
	between,
	DATE,
	DATE_TIME,
	digits,
	ECF_TYPE,
	ENCF,
	EXCHANGE_RATE,
	type Form,
	letters,
	MAIL,
	MEASURE,
	numberUpTo,
	oneOf,
	PERCENT,
	PHONE,
	PLACE,
	POSITIVE,
	pagesOf,
	REFERENCE_NUMBER,
	SIGNED_AMOUNT,
	TAXPAYER,
	text,
	UNIT_PRICE,
	VERSION,
	WORDS,
} from "./forms";
import { ALL_TYPES, type Block, closed, type Landmark, landmark } from "./layout";

const NAMED_FORMS: Readonly<Record<string, Form>> = {
	amount: AMOUNT,
	currency: oneOf(..."BRL CAD CHF CHY XDR DKK EUR GBP JPY NOK SCP SEK USD VEF HTG MXN COP".split(" ")),
	date: DATE,
	datetime: DATE_TIME,
	encf: ENCF,
	mail: MAIL,
	measure: MEASURE,
	percent: PERCENT,
	phone: PHONE,
	place: PLACE,
	positive: POSITIVE,
	price: UNIT_PRICE,
	rate: EXCHANGE_RATE,
	reference: REFERENCE_NUMBER,
	signed: SIGNED_AMOUNT,
	tax: between("001", "039"),
	taxpayer: TAXPAYER,
	type: ECF_TYPE,
	unit: between("1", "62"),
	version: VERSION,
	words15: WORDS,
};

const NOTES = ["33", "34"];

type Line = {
	readonly depth: number;
	readonly letters: string;
	readonly form: string;
	readonly most: string | undefined;
	readonly names: readonly string[];
};

/** The layout of an e-CF of a type. */
export const ECF_LAYOUTS: ReadonlyMap<string, Block> = readLayouts();

function readLayouts(): Map<string, Block> {
	const lines = (ECF_HEADER_TABLE + ECF_BODY_TABLE).split("\n").filter(Boolean).map(readLine);
	return new Map(ALL_TYPES.map((type, at) => [type, readBlock(lines.values(), 0, at).block]));
}

function readLine(line: string): Line {
	const [letters = "", formAndMost = "", ...names] = line.trim().split(/\s+/);
	const [form = "", most] = formAndMost.split("*");
	return { depth: line.search(/\S/), letters, form, most, names };
}

/** The block of the lines from here on that stand as deep; answers also the first line that stands less deep. */
function readBlock(lines: Iterator<Line>, depth: number, at: number): { block: Block; next: Line | undefined } {
	const landmarks: Landmark[] = [];
	let line: Line | undefined = lines.next().value;
	while (line && line.depth >= depth) {
		const { form, names, most } = line;
		const letter = line.letters[at];
		const particulars = {
			most: toMost(most, at),
			isRequired: letter === "M",
		};
		if (form === "block") {
			const inner = readBlock(lines, depth + 1, at);
			if (letter !== "-") landmarks.push(landmark(names[0] ?? "", { ...particulars, block: inner.block }));
			line = inner.next;
		} else {
			if (letter !== "-")
				landmarks.push(...names.map((name) => landmark(name, { ...particulars, form: toForm(form, at) })));
			line = lines.next().value;
		}
	}
	return { block: closed(...landmarks), next: line };
}

function toMost(most: string | undefined, at: number): number {
	return most === "lines" ? mostLinesOf(at) : Number(most ?? 1);
}

function mostLinesOf(at: number): number {
	return NOTES.includes(ALL_TYPES[at] ?? "") ? 10_000 : 1_000;
}

/** Throws an Error on a word that no form has. */
function toForm(word: string, at: number): Form {
	if (word === "line") return numberUpTo(mostLinesOf(at));
	if (word === "pages") return pagesOf(mostLinesOf(at));
	const named = NAMED_FORMS[word];
	if (named) return named;
	const [, kind, most] = /^(text|letters|digits)([0-9]+)$/.exec(word) ?? [];
	if (kind === "text") return text(Number(most));
	if (kind === "letters") return letters(Number(most));
	if (kind === "digits") return digits(Number(most));
	const [, first, last] = /^([0-9]+)\.\.([0-9]+)$/.exec(word) ?? [];
	if (first !== undefined && last !== undefined) return between(first, last);
	if (/^[A-Z0-9$%|]+$/.test(word)) return oneOf(...word.split("|"));
	throw new Error(`the table of the e-CF has an unknown form ${word}`);
}
