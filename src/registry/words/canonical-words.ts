/**
 * The words under which a value is indexed and by which a query finds it: one function for both.
 *
 *   written                                             word                extra words, in the index only
 *   letters in a row: J.R., G P R                       JR, GPR
 *   & and + are Y; a Y between letters joins them        M & M is MYM        MM
 *   apostrophes: O'REILLY, D' CARLOS                    OREILLY, DCARLOS    REILLY, CARLOS
 *   hyphen, dot or slash inside: COCA-COCO, 24/7        COCA COCO, 24 7     COCACOCO, 247
 *   digit beside letter: 3D, KM12                       3 D, KM 12
 *   legal forms: S.R.L., C. POR A., also behind initials   kept apart       the form
 *   abbreviations: HNOS, CIA                            as written          HERMANOS, COMPANIA
 *
 * An ordinary word is what `normaliseText` makes of it. The builder repeats these rules on bytes (ingest/build/fold.ts).
 */
import { otherSpellings } from "./abbreviations";
import { foldLetters } from "./normalise";

/** Legal forms of companies in the country. Source: Ley 479-08, and the registry's names. */
export const FORMS: ReadonlySet<string> = new Set(["SRL", "SA", "SAS", "EIRL", "CXA", "LTD", "INC", "LLC", "LTDA"]);
/** A row of letters may end with these. SA counts only behind a space, because `T.E.S.A.` is a name. */
export const FORMS_IN_A_ROW = [...FORMS].filter((form) => form.length > 2).sort((a, b) => b.length - a.length);
const SHORT_FORM = "SA";

const LINKS = new Set("EL LA LOS LAS LO DE DEL Y E EN A AL THE AND OF".split(" "));

/** Whether a word is so common between others that a search does without it. */
export function isLink(word: string): boolean {
	return LINKS.has(word);
}

/** `symbol` was written as & or +, `joined` as single letters in a row. */
export type WordKind = "proper" | "link" | "joined" | "symbol";

export type CanonicalWords = {
	readonly words: readonly string[];
	/** One for each word. */
	readonly kinds: readonly WordKind[];
	readonly extras: readonly string[];
	/** The legal form, written as one word. It is a word if the value has no other. */
	readonly form?: string;
};

type Token = { readonly word: string; readonly kind?: "symbol"; readonly before: string };

/** Most queries, whose words need no rule but those of forms and abbreviations. */
const plainWords = /^[A-Z]{2,}(?: [A-Z]{2,})*$/;
const pieces = /[&+]|[\p{L}\p{N}]+/gu;
const digitBorder = /(?<=[0-9])(?=[^0-9])|(?<=[^0-9])(?=[0-9])/;
const apostrophe = /^['´`’‘ʼ]$/;
const apostropheAndSpace = /^['´`’‘ʼ] $/;
const inside = /^[-./]$/;

export function canonicalWords(text: string): CanonicalWords {
	const extras: string[] = [];
	const folded = foldLetters(text);
	const isPlain = plainWords.test(folded);
	const tokens = isPlain ? folded.split(" ").map(toToken) : joinApostrophes(splitTokens(folded), extras);
	if (!isPlain) addJoined(tokens, extras);
	const words: string[] = [];
	const kinds: WordKind[] = [];
	const forms: string[] = [];
	const add = (word: string, kind: WordKind) => {
		words.push(word);
		kinds.push(kind);
		if (kind !== "joined") extras.push(...otherSpellings(word));
	};
	for (let i = 0; i < tokens.length; ) {
		const { word, kind } = tokens[i] ?? { word: "" };
		const spelled = spelledForm(tokens, i);
		const end = spelled > 0 ? i + spelled : endOfRow(tokens, i);
		if (spelled > 0) forms.push("CXA");
		else if (end > i + 1) addRow(tokens.slice(i, end), add, extras, forms);
		else if (FORMS.has(word)) forms.push(word);
		else add(word, kind ?? (isLink(word) ? "link" : "proper"));
		i = end;
	}
	if (words.length === 0 && forms[0] !== undefined) add(forms.shift() ?? "", "proper");
	const [form] = forms;
	return {
		words,
		kinds,
		extras: extras.length + forms.length > 1 ? [...new Set([...extras, ...forms])] : [...extras, ...forms],
		...(form === undefined ? {} : { form }),
	};
}

function toToken(word: string): Token {
	return { word, before: " " };
}

function splitTokens(folded: string): Token[] {
	const tokens: Token[] = [];
	let end = 0;
	for (const { 0: piece, index } of folded.matchAll(pieces)) {
		const before = folded.slice(end, index);
		end = index + piece.length;
		if (piece === "&" || piece === "+") tokens.push({ word: "Y", kind: "symbol", before });
		else
			for (const [i, word] of piece.split(digitBorder).entries()) tokens.push({ word, before: i === 0 ? before : "" });
	}
	// A symbol joins something, so it is none at either end.
	while (tokens[0]?.kind === "symbol") tokens.shift();
	while (tokens.at(-1)?.kind === "symbol") tokens.pop();
	return tokens;
}

function joinApostrophes(tokens: readonly Token[], extras: string[]): Token[] {
	const joined: Token[] = [];
	for (const token of tokens) {
		const last = joined.at(-1);
		const { before } = token;
		const isJoined = apostrophe.test(before) || (last?.word.length === 1 && apostropheAndSpace.test(before));
		if (last && isJoined && !last.kind && !token.kind) {
			joined[joined.length - 1] = { word: last.word + token.word, before: last.before };
			if (token.word.length > 1) extras.push(token.word);
		} else joined.push(token);
	}
	return joined;
}

const isDigits = (word: string) => /^[0-9]+$/.test(word);
const isLetter = (token: Token | undefined) => token !== undefined && /^[A-XZ]$/.test(token.word);

/** Parts of one kind, letters or digits, are also found as if there was nothing between them. */
function addJoined(tokens: readonly Token[], extras: string[]): void {
	for (let from = 0; from < tokens.length; ) {
		let to = from + 1;
		while (to < tokens.length && continues(tokens[to - 1], tokens[to])) to++;
		const chain = tokens.slice(from, to);
		if (chain.length > 1 && !chain.every(({ word }) => /^[A-Z]$/.test(word))) {
			extras.push(chain.map(({ word }) => word).join(""));
		}
		from = to;
	}
}

function continues(last: Token | undefined, token: Token | undefined): boolean {
	if (!last || !token || last.kind || token.kind) return false;
	return inside.test(token.before) && isDigits(last.word) === isDigits(token.word);
}

/** The number of tokens that spell `C. POR A.` from here on; 0 if none. At its end a value may be cut off. */
function spelledForm(tokens: readonly Token[], at: number): number {
	const [first, second, third] = [tokens[at]?.word, tokens[at + 1]?.word, tokens[at + 2]?.word];
	if (first !== "C" || (second !== "POR" && second !== "PO")) return 0;
	if (third === undefined) return 2;
	return second === "POR" && third === "A" ? 3 : 0;
}

/** Where the row of single letters ends that starts here. */
function endOfRow(tokens: readonly Token[], at: number): number {
	if (!isLetter(tokens[at])) return at + 1;
	const isNext = (i: number) => isLetter(tokens[i]) && spelledForm(tokens, i) === 0;
	let end = at + 1;
	for (;;) {
		if (isNext(end)) end++;
		else if (tokens[end]?.word === "Y" && isNext(end + 1)) end += 2;
		else return end;
	}
}

function addRow(
	row: readonly Token[],
	add: (word: string, kind: WordKind) => void,
	extras: string[],
	forms: string[],
): void {
	const letters = row.map(({ word }) => word).join("");
	const isWide = /[ ,]/.test(row.at(-SHORT_FORM.length)?.before ?? "");
	const form =
		FORMS_IN_A_ROW.find((one) => letters.endsWith(one)) ??
		(letters === SHORT_FORM || (isWide && letters.endsWith(SHORT_FORM)) ? SHORT_FORM : undefined);
	const initials = form === undefined ? letters : letters.slice(0, -form.length);
	if (form !== undefined) forms.push(form);
	if (initials.length === 1) add(initials, isLink(initials) ? "link" : "proper");
	else if (initials.length > 1) {
		add(initials, "joined");
		const bare = initials.replaceAll("Y", "");
		if (bare !== initials) extras.push(bare);
	}
}
