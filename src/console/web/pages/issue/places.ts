/** The places of a document's members on the page: what they are called, and how the focus goes there. */
import { useLanguage, useWords } from "../../app/language";
import { CELLS } from "./row";
import { words } from "./words";

export type Word = keyof typeof words.es;
type Kind = "text" | "date" | "amount" | "long" | "list" | readonly string[];
export type MemberItem = {
	readonly pointer: string;
	readonly word: Word;
	readonly kind: Kind;
	/** Words of the choices: this, `_`, and the value. Without it the values are shown. */
	readonly choices?: string;
	readonly isNumber?: true;
	readonly maxLength?: number;
};

const CURRENCIES = ["DOP", "USD", "EUR", "BRL", "CAD", "CHF", "CNY", "COP", "DKK", "GBP", "HTG", "JPY", "MXN", "NOK"];

export const GROUPS: readonly { readonly title: Word; readonly items: readonly MemberItem[] }[] = [
	{
		title: "payment",
		items: [
			{ pointer: "/payment/terms", word: "terms", kind: ["", "cash", "credit", "free"], choices: "terms" },
			{ pointer: "/due_date", word: "dueDate", kind: "date" },
			{ pointer: "/issue_date", word: "issueDate", kind: "date" },
			{ pointer: "/advance", word: "advance", kind: "amount" },
		],
	},
	{
		title: "currencyGroup",
		items: [
			{ pointer: "/currency", word: "currency", kind: ["", ...CURRENCIES] },
			{ pointer: "/exchange_rate", word: "exchangeRate", kind: "amount" },
			{ pointer: "/amounts_in", word: "amountsIn", kind: ["", "document"], choices: "amountsIn" },
			{ pointer: "/legal_tip", word: "legalTip", kind: "amount" },
		],
	},
	{
		title: "contact",
		items: [
			{ pointer: "/customer/contact", word: "buyerContact", kind: "text", maxLength: 80 },
			{ pointer: "/customer/address/street", word: "street", kind: "text", maxLength: 100 },
			{ pointer: "/emails", word: "emails", kind: "list" },
		],
	},
	{
		title: "own",
		items: [
			{ pointer: "/order_number", word: "orderNumber", kind: "text", maxLength: 60 },
			{ pointer: "/internal_number", word: "internalNumber", kind: "text", maxLength: 20 },
			{ pointer: "/branch", word: "branch", kind: "text", maxLength: 60 },
			{ pointer: "/seller", word: "salesperson", kind: "text", maxLength: 60 },
			{
				pointer: "/income_type",
				word: "incomeType",
				kind: ["", "01", "02", "03", "04", "05", "06"],
				choices: "income",
			},
			{ pointer: "/notes", word: "notes", kind: "long", maxLength: 1_000 },
		],
	},
];

export const REFERENCE: readonly MemberItem[] = [
	{ pointer: "/reference/encf", word: "original", kind: "text", maxLength: 19 },
	{ pointer: "/reference/issue_date", word: "originalDate", kind: "date" },
	{ pointer: "/reference/code", word: "code", kind: ["", "1", "2", "3", "4", "5"], choices: "code", isNumber: true },
	{ pointer: "/reference/reason", word: "reason", kind: "text", maxLength: 90 },
];

/** Members that the form shows. */
export const SHOWN: ReadonlySet<string> = new Set([
	...["type", "encf", "company", "customer", "client_request_id", "reference"],
	...GROUPS.flatMap(({ items }) => items.map(({ pointer }) => pointer.split("/")[1] ?? "")),
]);

const NAMES: ReadonlyMap<string, Word> = new Map<string, Word>([
	...[...GROUPS.flatMap(({ items }) => items), ...REFERENCE].map(({ pointer, word }) => [pointer, word] as const),
	...(["type", "encf", "lines", "reference", "adjustments"] as const).map((word) => [`/${word}`, word] as const),
	...([
		["/company", "issuer"],
		["/customer", "buyer"],
		["/customer/name", "buyerName"],
	] as const),
	...([
		["/totals", "total"],
		["/totals/subtotal", "subtotal"],
		["/totals/tax", "tax"],
	] as const),
	["/rates", "tax_rate"],
]);

const CELL_NAMES: ReadonlyMap<string, Word> = new Map<string, Word>([
	...CELLS.map((cell) => [cell, cell] as const),
	...([
		["subtotal", "amount"],
		["withholding/itbis", "withheld_itbis"],
		["withholding/isr", "withheld_isr"],
	] as const),
]);

/**
 * Names the place of a pointer as the form does: `Price, line 1`. A member that the form does not show keeps the name that it has in the request, in
 * backticks. Undefined: it is no member of a document.
 */
export function usePlaceName(): (pointer: string) => string | undefined {
	const t = useWords(words);
	return (pointer) => {
		if (!pointer.startsWith("/")) return undefined;
		const [, at, cell] = /^\/lines\/(\d+)(?:\/(.+))?$/.exec(pointer) ?? [];
		if (at === undefined) {
			const word = findWord(NAMES, pointer);
			return word ? t(word) : codeOf(pointer.slice(1));
		}
		const line = t("line", { n: Number(at) + 1 });
		if (cell === undefined) return line;
		const word = findWord(CELL_NAMES, cell);
		return `${word ? t(word) : codeOf(cell)}, ${line}`;
	};
}

/** Of the pointer, or of the nearest member around it. */
function findWord(names: ReadonlyMap<string, Word>, pointer: string): Word | undefined {
	for (let at = pointer; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf("/")))) {
		const word = names.get(at);
		if (word) return word;
	}
	return undefined;
}

const codeOf = (pointer: string) => `\`${pointer.replaceAll("/", ".")}\``;

/** With a capital letter, but not for e-NCF. */
export const beginSentence = (text: string) => text.replace(/^\p{Ll}(?=\p{Ll})/u, (letter) => letter.toUpperCase());

type Correction = {
	readonly fix: readonly { readonly path: string; readonly value: string }[];
	readonly advice: readonly { readonly pointer: string; readonly detail: string; readonly detailEs: string }[];
};

/** What the service advises after a rejection, a sentence for each place. */
export function useCorrections(): (correction: Correction) => readonly string[] {
	const t = useWords(words);
	const isSpanish = useLanguage() === "es";
	const nameOf = usePlaceName();
	const placeOf = (pointer: string) => beginSentence(nameOf(pointer) ?? pointer);
	return ({ fix, advice }) => [
		...fix.map(({ path, value }) => t("correction", { place: placeOf(path), value })),
		...advice.map(({ pointer, detail, detailEs }) => `${placeOf(pointer)}: ${isSpanish ? detailEs : detail}`),
	];
}

/** Sums follow from the lines, so nothing can be typed there. */
export const hasPlace = (pointer: string) => pointer !== "" && !/^\/(?:totals|rates|company)\b|^#/.test(pointer);

/** Puts the focus on the field of a pointer, or of its nearest parent or child that has one. */
export function focusPlace(pointer: string): void {
	for (let at = pointer; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
		const quoted = CSS.escape(at);
		const found =
			document.querySelector<HTMLElement>(`[data-pointer="${quoted}"]`) ??
			document.querySelector<HTMLElement>(`[data-pointer^="${quoted}/"]`);
		if (!found) continue;
		found.closest("details")?.setAttribute("open", "");
		found.focus();
		return;
	}
}
