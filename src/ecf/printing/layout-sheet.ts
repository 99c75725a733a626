/**
 * A document on a sheet of A4 or letter.
 *
 *     ┌──────────────────────────────────────┐
 *     │ logo                  type in words  │
 *     │ issuer                e-NCF, expiry  │   head: on each page
 *     │ ──────────────────────────────────── │
 *     │ buyer                 payment        │
 *     │ [ legends ]                          │
 *     │ Cantidad Descripción … ITBIS   Valor │
 *     │ lines                                │
 *     │                                      │
 *     │ ┌────┐      sums of the page, or     │
 *     │ │ QR │      on the last one totals   │   foot: on each page
 *     │ └────┘                               │
 *     │ code, time               Página n de │
 *     └──────────────────────────────────────┘
 *
 * The QR measures 29 mm (the norm requires 22), has 3 mm of white around it and stays 2 cm from each edge.
 */

import { printSum, sumLines } from "./amounts";
import {
	type Fonts,
	fitBox,
	lineOfText,
	type Mark,
	mm,
	moveDown,
	type Page,
	paginate,
	type TextStyle,
	wrap,
} from "./drawing";
import { chooseColumns, type Table } from "./line-table";
import type { Printable, PrintableLine } from "./printable";
import {
	describeBuyer,
	describeDocument,
	describeIssuer,
	describeLine,
	describePayment,
	describeSignature,
	describeTotals,
	type Statement,
} from "./statements";

/** Width and height in points. */
const SHEETS = { a4: [mm(210), mm(297)], letter: [612, 792] } as const satisfies Record<
	string,
	readonly [number, number]
>;
export type Sheet = keyof typeof SHEETS;

const LEFT = mm(20);
const TOP = mm(13);
const QR_SIDE = mm(29);
const QR_QUIET = mm(3);
const TOTALS_LEFT = LEFT + mm(66);

/** What the size of a sheet determines. */
type Edges = {
	readonly width: number;
	readonly height: number;
	/** Between the margins. */
	readonly inner: number;
	readonly qrTop: number;
	readonly qrBottom: number;
	readonly footTop: number;
	readonly totalsBottom: number;
};

function edgesOf(sheet: Sheet): Edges {
	const [width, height] = SHEETS[sheet];
	const qrBottom = height - mm(20.5);
	const qrTop = qrBottom - QR_SIDE;
	return {
		...{ width, height, inner: width - 2 * LEFT, qrTop, qrBottom },
		...{ footTop: qrTop - QR_QUIET, totalsBottom: height - mm(15) },
	};
}

const LINE = 1.25;
const ROW_GAP_PT = 3;
const TOTAL_SIZES_PT = [9, 8, 7, 6, 5];

type Row = {
	readonly line: PrintableLine;
	readonly isFirst: boolean;
	readonly marks: readonly Mark[];
	readonly height: number;
};

export function layoutSheet(
	p: Printable,
	of: {
		readonly sheet: Sheet;
		readonly legends: readonly string[];
		readonly logo: { readonly width: number; readonly height: number } | undefined;
	},
	fonts: Fonts,
): Page[] {
	const edges = edgesOf(of.sheet);
	const { width, height, inner, footTop, totalsBottom } = edges;
	const head = layHead(p, of, fonts, { left: LEFT, width: inner, top: TOP });
	const table = chooseColumns(p, fonts, LEFT, inner);
	const titles = layTitles(table, fonts, head.bottom, inner);
	const bodyTop = titles.bottom;
	const totals = layTotals(describeTotals(p), fonts, edges, totalsBottom - bodyTop);
	const room = footTop - bodyTop - ROW_GAP_PT;
	const roomOnLast = Math.min(footTop, totalsBottom - totals.height - ROW_GAP_PT) - bodyTop - ROW_GAP_PT;
	const rows = p.lines.flatMap((line) => cutRow(layRow(line, table, fonts), room));
	const pages = paginate(rows, room, roomOnLast);
	const repeated = [...head.marks, ...titles.marks, ...layFoot(p, fonts, edges)];
	return pages.map((shared, i) => {
		const isLast = i === pages.length - 1;
		return {
			width,
			height,
			marks: [
				...repeated,
				...placeRows(shared, bodyTop, inner),
				...(isLast ? moveDown(totals.marks, totalsBottom - totals.height) : laySums(p, shared, fonts, edges)),
				lineOfText(fonts, `Página ${i + 1} de ${pages.length}`, LEFT, height - mm(9), inner, {
					sizePt: 8,
					align: "right",
				}),
			],
		};
	});
}

function layTitles(
	{ columns, sizePt }: Table,
	fonts: Fonts,
	top: number,
	inner: number,
): { marks: Mark[]; bottom: number } {
	const height = sizePt * LINE + 5;
	const shade: Mark = { kind: "shade", x: LEFT, y: top, width: inner, height };
	const titles = columns.map(({ title, x, width, align }) =>
		lineOfText(fonts, title, x, top + sizePt + 3, width, { sizePt, weight: "bold", align }),
	);
	return { marks: [shade, ...titles], bottom: top + height + ROW_GAP_PT };
}

/** A row measured from its upper edge. Text that does not fit its column continues below. */
function layRow(line: PrintableLine, { columns, sizePt }: Table, fonts: Fonts): Row {
	const step = sizePt * LINE;
	const measure = (text: string) => fonts.regular.widthOf(text, sizePt);
	const cells = columns.map((column) => {
		const { textOf, width, isWide, align } = column;
		const texts = isWide ? [textOf(line), ...describeLine(line)] : [textOf(line)];
		return { column, texts: align === "left" ? texts.flatMap((text) => wrap(text, width, measure)) : texts };
	});
	const marks = cells.flatMap(({ column: { x, width, align }, texts }) =>
		texts.map((text, i) => lineOfText(fonts, text, x, sizePt + i * step, width, { sizePt, align })),
	);
	const lines = Math.max(...cells.map(({ texts }) => texts.length));
	return { line, isFirst: true, marks, height: lines * step + ROW_GAP_PT };
}

/** A row that is higher than a page continues on the next one. */
function cutRow(row: Row, room: number): Row[] {
	if (row.height <= room) return [row];
	const heads = row.marks.filter((mark) => mark.y <= room);
	const rest = row.marks.filter((mark) => mark.y > room);
	const cutAt = Math.max(...heads.map((mark) => mark.y));
	const first = { ...row, marks: heads, height: room };
	const next = { ...row, isFirst: false, marks: moveDown(rest, -cutAt), height: row.height - cutAt };
	return [first, ...cutRow(next, room)];
}

function placeRows(rows: readonly Row[], top: number, inner: number): Mark[] {
	let y = top;
	return rows.flatMap(({ marks, height }) => {
		const placed = moveDown(marks, y);
		y += height;
		const rule: Mark = { kind: "rule", x: LEFT, y: y - ROW_GAP_PT / 2, width: inner, thickness: 0.4, isLight: true };
		return [...placed, rule];
	});
}

function layFoot(p: Printable, fonts: Fonts, { qrTop, qrBottom }: Edges): Mark[] {
	const signature = layStatements(describeSignature(p), fonts, LEFT, qrBottom + QR_QUIET, TOTALS_LEFT - LEFT, {
		sizePt: 8,
	});
	return [{ kind: "qr", x: LEFT + QR_QUIET, y: qrTop, side: QR_SIDE }, ...signature.marks];
}

/** Measured from their upper edge, as small as needed to fit the page. */
function layTotals(
	statements: readonly Statement[],
	fonts: Fonts,
	{ inner }: Pick<Edges, "inner">,
	heightMax: number,
): { marks: Mark[]; height: number } {
	const width = LEFT + inner - TOTALS_LEFT;
	for (const sizePt of TOTAL_SIZES_PT) {
		const marks: Mark[] = [{ kind: "rule", x: TOTALS_LEFT, y: 0, width, thickness: 0.8 }];
		let y = 3;
		for (const { label, value, isStrong } of statements) {
			const size = isStrong ? sizePt + 2 : sizePt;
			const style = { sizePt: size, weight: isStrong ? ("bold" as const) : ("regular" as const) };
			const indent = label.startsWith(" ") ? 10 : 0;
			const room = width - indent - fonts[style.weight].widthOf(value, size) - 8;
			const labels = wrap(label, Math.max(room, 60), (text) => fonts[style.weight].widthOf(text, size));
			marks.push(
				lineOfText(fonts, value, TOTALS_LEFT, y + size + (labels.length - 1) * size * LINE, width, {
					...style,
					align: "right",
				}),
			);
			for (const text of labels) {
				marks.push(lineOfText(fonts, text, TOTALS_LEFT + indent, y + size, room, style));
				y += size * LINE;
			}
		}
		if (y <= heightMax || sizePt === TOTAL_SIZES_PT.at(-1)) return { marks, height: y };
	}
	throw new Error("there is no size of letters");
}

function laySums(p: Printable, rows: readonly Row[], fonts: Fonts, edges: Edges): Mark[] {
	const lines = rows.filter((row) => row.isFirst).map((row) => row.line);
	const { taxed, exempt, itbis, total } = sumLines(lines, p.pricesIncludeTax);
	const { marks } = layTotals(
		[
			{ label: "Subtotal gravado de la página", value: printSum(taxed) },
			{ label: "Subtotal exento de la página", value: printSum(exempt) },
			{ label: "ITBIS de la página", value: printSum(itbis) },
			{ label: "Subtotal de la página", value: printSum(total), isStrong: true },
		],
		fonts,
		edges,
		QR_SIDE,
	);
	return moveDown(marks, edges.qrTop);
}

/** The head: who issued what to whom, and the legends. */

type Block = { readonly marks: readonly Mark[]; readonly bottom: number };
type Frame = { readonly left: number; readonly width: number; readonly top: number };

const SMALL: TextStyle = { sizePt: 8 };
const LOGO_WIDTH_PT = 150;
const LOGO_HEIGHT_PT = 48;
const GUTTER_PT = 18;
const RIGHT_WIDTH_PT = 200;

function layHead(
	p: Printable,
	of: {
		readonly legends: readonly string[];
		readonly logo: { readonly width: number; readonly height: number } | undefined;
	},
	fonts: Fonts,
	{ left, width, top }: Frame,
): Block {
	const rightAt = left + width - RIGHT_WIDTH_PT;
	const leftWidth = width - RIGHT_WIDTH_PT - GUTTER_PT;
	const issuer = layIssuer(p, of.logo, fonts, left, top, leftWidth);
	const { title, statements } = describeDocument(p);
	const heading = layTexts([title], fonts, rightAt, top, RIGHT_WIDTH_PT, { sizePt: 13, weight: "bold" });
	const facts = layStatements(statements, fonts, rightAt, heading.bottom + 3, RIGHT_WIDTH_PT, { sizePt: 9 });
	const partiesAt = Math.max(issuer.bottom, facts.bottom) + 6;
	const buyer = layStatements(describeBuyer(p), fonts, left, partiesAt + 5, leftWidth, SMALL);
	const payment = layStatements(describePayment(p), fonts, rightAt, partiesAt + 5, RIGHT_WIDTH_PT, SMALL);
	const legends = layLegends(of.legends, fonts, left, Math.max(buyer.bottom, payment.bottom) + 6, width);
	return {
		marks: [
			...issuer.marks,
			...heading.marks,
			...facts.marks,
			{ kind: "rule", x: left, y: partiesAt, width, thickness: 0.8 },
			...buyer.marks,
			...payment.marks,
			...legends.marks,
		],
		bottom: legends.bottom,
	};
}

function layIssuer(
	p: Printable,
	logo: { readonly width: number; readonly height: number } | undefined,
	fonts: Fonts,
	x: number,
	y: number,
	width: number,
): Block {
	const { name, legalName, statements } = describeIssuer(p);
	const size = logo && fitBox(logo, LOGO_WIDTH_PT, LOGO_HEIGHT_PT);
	const picture: Mark[] = size ? [{ kind: "logo", x, y, ...size }] : [];
	const heading = layTexts([name], fonts, x, y + (size ? size.height + 6 : 0), width, { sizePt: 12, weight: "bold" });
	const legal = layTexts(legalName === undefined ? [] : [legalName], fonts, x, heading.bottom, width, { sizePt: 9 });
	const rest = layStatements(statements, fonts, x, legal.bottom + 1, width, SMALL);
	return { marks: [...picture, ...heading.marks, ...legal.marks, ...rest.marks], bottom: rest.bottom };
}

function layTexts(
	texts: readonly string[],
	fonts: Fonts,
	x: number,
	top: number,
	width: number,
	style: TextStyle,
): Block {
	const { sizePt, weight = "regular" } = style;
	const lines = texts.flatMap((text) => wrap(text, width, (part) => fonts[weight].widthOf(part, sizePt)));
	const step = sizePt * LINE;
	const marks = lines.map((line, i) => lineOfText(fonts, line, x, top + sizePt + i * step, width, style));
	return { marks, bottom: top + lines.length * step };
}

/** Bold labels, each followed by its value, which continues below itself if it is long. */
function layStatements(
	statements: readonly Statement[],
	fonts: Fonts,
	x: number,
	top: number,
	width: number,
	{ sizePt }: TextStyle,
): Block {
	const marks: Mark[] = [];
	const step = sizePt * LINE;
	let bottom = top;
	for (const { label, value, isStrong } of statements) {
		const weight = isStrong ? "bold" : "regular";
		const size = isStrong ? sizePt + 2 : sizePt;
		const head = `${label}: `;
		const indent = fonts.bold.widthOf(head, size);
		const lines = wrap(value, width - indent, (part) => fonts[weight].widthOf(part, size));
		marks.push(lineOfText(fonts, head, x, bottom + size, width, { sizePt: size, weight: "bold" }));
		for (const line of lines) {
			marks.push(lineOfText(fonts, line, x + indent, bottom + size, width, { sizePt: size, weight }));
			bottom += step + (size - sizePt);
		}
	}
	return { marks, bottom };
}

const LEGEND: TextStyle = { sizePt: 10, weight: "bold", align: "center" };

function layLegends(legends: readonly string[], fonts: Fonts, x: number, top: number, width: number): Block {
	if (legends.length === 0) return { marks: [], bottom: top };
	const text = layTexts(
		legends.map((one) => one.toLocaleUpperCase("es")),
		fonts,
		x,
		top + 3,
		width,
		LEGEND,
	);
	const frame: Mark = { kind: "frame", x, y: top, width, height: text.bottom - top + 4 };
	return { marks: [frame, ...text.marks], bottom: text.bottom + 10 };
}
