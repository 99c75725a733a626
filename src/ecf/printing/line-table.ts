/** The columns of the lines on a sheet: which there are, how wide, and in letters of which size. */
import { printAmount, printSum, taxOf } from "./amounts";
import type { Align, Fonts } from "./drawing";
import type { Printable, PrintableLine } from "./printable";
import { nameLine, unitOf } from "./statements";

export type Column = {
	readonly title: string;
	readonly align: Align;
	readonly x: number;
	readonly width: number;
	readonly textOf: (line: PrintableLine) => string;
	/** Its text is wrapped, and it takes the width that the other columns leave. */
	readonly isWide: boolean;
};
export type Table = { readonly columns: readonly Column[]; readonly sizePt: number };

type Draft = Omit<Column, "x" | "width" | "isWide">;

const SIZES_PT = [8, 7.5, 7, 6.5, 6, 5.5, 5, 4.5, 4];
const GAP_PT = 8;
const WIDE_MIN_PT = 130;
const UNIT_MAX_PT = 52;
const WIDE = "Descripción";

/** Chooses the largest size at which all amounts fit beside a readable description. */
export function chooseColumns(p: Printable, fonts: Fonts, x: number, width: number): Table {
	const drafts = draftColumns(p);
	const texts = drafts.map((draft) => (draft.title === WIDE ? [] : longest(p.lines.map(draft.textOf))));
	for (const sizePt of SIZES_PT) {
		const widths = drafts.map((draft, i) => {
			const title = fonts.bold.widthOf(draft.title, sizePt);
			const content = Math.max(0, ...(texts[i] ?? []).map((text) => fonts.regular.widthOf(text, sizePt)));
			return Math.max(title, draft.title === "Unidad" ? Math.min(content, UNIT_MAX_PT) : content) + GAP_PT;
		});
		const wide = width - widths.reduce((sum, one, i) => (drafts[i]?.title === WIDE ? sum : sum + one), 0);
		if (wide >= WIDE_MIN_PT || sizePt === SIZES_PT.at(-1)) return { sizePt, columns: place(drafts, widths, wide, x) };
	}
	throw new Error("there is no size of letters");
}

function draftColumns({ lines, pricesIncludeTax }: Printable): Draft[] {
	const has = (member: "unit" | "discount" | "surcharge") => lines.some((line) => line[member] !== undefined);
	const amount = (text: string | undefined) => (text === undefined ? "" : printAmount(text));
	const right = (title: string, textOf: Draft["textOf"]): Draft => ({ title, align: "right", textOf });
	return [
		right("Cantidad", (line) => printAmount(line.quantity)),
		{ title: WIDE, align: "left", textOf: nameLine },
		...(has("unit") ? [{ title: "Unidad", align: "left" as const, textOf: unitOf }] : []),
		right("Precio", (line) => printAmount(line.unitPrice)),
		right("ITBIS", (line) => printSum(taxOf(line, pricesIncludeTax).itbis)),
		...(has("discount") ? [right("Descuento", (line) => amount(line.discount))] : []),
		...(has("surcharge") ? [right("Recargo", (line) => amount(line.surcharge))] : []),
		right("Valor", (line) => printAmount(line.amount)),
	];
}

/** The texts with the most characters: all digits have one width, so the widest amount is among them. */
function longest(texts: readonly string[]): string[] {
	const most = texts.reduce((length, text) => Math.max(length, text.length), 0);
	return [...new Set(texts.filter((text) => text.length >= most - 1))].slice(0, 50);
}

function place(drafts: readonly Draft[], widths: readonly number[], wide: number, from: number): Column[] {
	let x = from;
	return drafts.map((draft, i) => {
		const isWide = draft.title === WIDE;
		const width = isWide ? wide : (widths[i] ?? 0);
		x += width;
		// The gap is before right-aligned text and after left-aligned text.
		const inner = width - GAP_PT;
		return { ...draft, isWide, width: inner, x: x - width + (draft.align === "right" ? GAP_PT : GAP_PT / 2) };
	});
}
