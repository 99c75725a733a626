/** The head of every sheet: who issued what to whom, and the legends. */
import { type Fonts, fitBox, lineOfText, type Mark, type TextStyle, wrap } from "../drawing";
import type { Printable } from "../printable";
import { describeBuyer, describeDocument, describeIssuer, describePayment, type Statement } from "../statements";

export type Block = { readonly marks: readonly Mark[]; readonly bottom: number };
export type Frame = { readonly left: number; readonly width: number; readonly top: number };

const LINE = 1.25;
const SMALL: TextStyle = { sizePt: 8 };
const LOGO_WIDTH_PT = 150;
const LOGO_HEIGHT_PT = 48;
const GUTTER_PT = 18;
const RIGHT_WIDTH_PT = 200;

export function layHead(
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
export function layStatements(
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
