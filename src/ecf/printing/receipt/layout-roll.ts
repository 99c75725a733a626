/**
 * A receipt as pages of a PDF for thermal printers: one page as long as the document.
 *
 * Gap: after three metres a new page begins, with head, QR and page number again, because drivers and viewers fail on longer pages.
 */
import {
	type Fonts,
	fitBox,
	lineOfText,
	type Mark,
	mm,
	moveDown,
	type Page,
	paginate,
	type Weight,
	wrap,
} from "../drawing";
import type { Receipt, ReceiptRow } from "./receipt";

export type Roll = {
	readonly widthMm: number;
	readonly printedMm: number;
	readonly sizePt: number;
	readonly qrMm: number;
};

/**
 * What printers print on paper of 80 and 58 mm. The QR is larger than the 22 mm that the norm requires, because these printers have 8 dots per
 * millimetre.
 */
export const ROLLS = {
	thermal_80: { widthMm: 80, printedMm: 72, sizePt: 8.5, qrMm: 34 },
	thermal_58: { widthMm: 58, printedMm: 48, sizePt: 7.5, qrMm: 32 },
} as const satisfies Record<string, Roll>;

const LENGTH_MAX_MM = 3_000;
const MARGIN_MM = 4;
const QR_QUIET_MM = 3;
const LOGO_HEIGHT_MM = 20;
const LINE = 1.28;
const LARGE_BY_PT = 2.5;

type Paper = {
	readonly roll: Roll;
	readonly fonts: Fonts;
	readonly logo: { readonly width: number; readonly height: number } | undefined;
};
type Block = { readonly marks: readonly Mark[]; readonly height: number };

export function layoutRoll(receipt: Receipt, paper: Paper): Page[] {
	const head = layRows(receipt.head, paper);
	const tail = layRows(receipt.tail, paper);
	const foot = layRows(receipt.foot, paper);
	const margins = 2 * mm(MARGIN_MM);
	const numbering = layRows([{ kind: "text", text: "Página 000 de 000", isCentered: true }], paper).height;
	const room = mm(LENGTH_MAX_MM) - margins - head.height - foot.height - numbering;
	const lines = receipt.lines.map((rows) => layRows(rows, paper));
	const pages = paginate(lines, room, room - tail.height);
	return pages.map((shared, i) => {
		const isLast = i === pages.length - 1;
		const number: ReceiptRow = { kind: "text", text: `Página ${i + 1} de ${pages.length}`, isCentered: true };
		const blocks = [
			head,
			...shared,
			...(isLast ? [tail] : []),
			foot,
			...(pages.length > 1 ? [layRows([number], paper)] : []),
		];
		const { marks, height } = stack(blocks);
		return { width: mm(paper.roll.widthMm), height: height + margins, marks: moveDown(marks, mm(MARGIN_MM)) };
	});
}

function layRows(rows: readonly ReceiptRow[], paper: Paper): Block {
	return stack(rows.map((row) => layRow(row, paper)));
}

function stack(blocks: readonly Block[]): Block {
	let y = 0;
	const marks = blocks.flatMap((block) => {
		const placed = moveDown(block.marks, y);
		y += block.height;
		return placed;
	});
	return { marks, height: y };
}

function layRow(row: ReceiptRow, { roll, fonts, logo }: Paper): Block {
	const width = mm(roll.printedMm);
	const x = (mm(roll.widthMm) - width) / 2;
	const step = roll.sizePt * LINE;
	switch (row.kind) {
		case "rule":
			return { marks: [{ kind: "rule", x, y: step / 2, width, thickness: 0.6 }], height: step };
		case "logo": {
			const size = logo ? fitBox(logo, width, mm(LOGO_HEIGHT_MM)) : { width: 0, height: 0 };
			return { marks: [{ kind: "logo", x: x + (width - size.width) / 2, y: 0, ...size }], height: size.height + step };
		}
		case "qr": {
			const [side, quiet] = [mm(roll.qrMm), mm(QR_QUIET_MM)];
			return { marks: [{ kind: "qr", x: x + (width - side) / 2, y: quiet, side }], height: side + 2 * quiet };
		}
		case "text": {
			const sizePt = roll.sizePt + (row.isLarge ? LARGE_BY_PT : 0);
			const weight: Weight = row.isStrong ? "bold" : "regular";
			return layText(row.text, fonts, x, width, { sizePt, weight, align: row.isCentered ? "center" : "left" });
		}
		case "pair":
			return layPair(row, fonts, x, width, roll.sizePt);
	}
}

type Style = { readonly sizePt: number; readonly weight: Weight; readonly align: "left" | "center" };

function layText(text: string, fonts: Fonts, x: number, width: number, style: Style): Block {
	const indent = text.startsWith(" ") ? style.sizePt : 0;
	const step = style.sizePt * LINE;
	const lines = wrap(text, width - indent, (part) => fonts[style.weight].widthOf(part, style.sizePt));
	const marks = lines.map((line, i) =>
		lineOfText(fonts, line, x + indent, style.sizePt + i * step, width - indent, style),
	);
	return { marks, height: lines.length * step };
}

/** The right text is on the last line of the left one, or below it if both are too wide. */
function layPair(row: ReceiptRow & { kind: "pair" }, fonts: Fonts, x: number, width: number, sizePt: number): Block {
	const weight: Weight = row.isStrong ? "bold" : "regular";
	const step = sizePt * LINE;
	const right = fonts[weight].widthOf(row.right, sizePt);
	const gap = sizePt;
	const room = width - right - gap;
	const left = layText(row.left, fonts, x, room > width / 3 ? room : width, { sizePt, weight, align: "left" });
	const height = room > width / 3 ? left.height : left.height + step;
	const amount = lineOfText(fonts, row.right, x, height - step + sizePt, width, { sizePt, weight, align: "right" });
	return { marks: [...left.marks, amount], height };
}
