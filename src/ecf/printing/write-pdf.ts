/**
 * Writes pages as a PDF.
 *
 * The same pages give the same bytes: times come from the document, ids from the content. QR and logo are written once and drawn on every page. The
 * QR consists of shapes, so it is sharp at any size. Fonts are embedded with the characters in use.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import PDFDocument from "pdfkit";
import { type Fonts, type Mark, type Page, type QrMatrix, toRuns } from "./drawing";
import { readFont } from "./fonts";
import type { Logo } from "./logo";

export type PdfContent = {
	readonly title: string;
	readonly author: string;
	readonly createdAt: Date;
	readonly pages: readonly Page[];
	readonly qr: QrMatrix;
	readonly logo: Logo | undefined;
};

const FOLDER = join(import.meta.dir, "../../../data/fonts");
const FILES = { regular: "DejaVuSansCondensed.ttf", bold: "DejaVuSansCondensed-Bold.ttf" } as const;
const [BLACK, LIGHT, SHADE] = ["#000000", "#aaaaaa", "#e2e2e2"] as const;

export type OpenedFonts = { readonly fonts: Fonts; readonly files: Readonly<Record<keyof typeof FILES, Uint8Array>> };

/** Reads the fonts from disk, once per thread. */
export function openFonts(): OpenedFonts {
	const files = { regular: readFileSync(join(FOLDER, FILES.regular)), bold: readFileSync(join(FOLDER, FILES.bold)) };
	return { files, fonts: { regular: readFont(files.regular), bold: readFont(files.bold) } };
}

export async function writePdf(content: PdfContent, { files }: OpenedFonts): Promise<Uint8Array> {
	const { title, author, createdAt } = content;
	const document = new PDFDocument({
		autoFirstPage: false,
		pdfVersion: "1.7",
		lang: "es-DO",
		displayTitle: true,
		// None of the library's own fonts, because they would not be embedded.
		font: "",
		info: {
			Title: title,
			Author: author,
			Producer: "sello",
			Creator: "sello",
			CreationDate: createdAt,
			ModDate: createdAt,
		},
	});
	const chunks: Uint8Array[] = [];
	document.on("data", (chunk: Uint8Array) => chunks.push(chunk));
	const ended = new Promise<void>((done, fail) => document.on("end", done).on("error", fail));
	for (const [name, file] of Object.entries(files)) document.registerFont(name, Buffer.from(file));
	const qr = defineQr(document, content.qr);
	const logo = content.logo && defineLogo(document, content.logo);
	for (const { width, height, marks } of content.pages) {
		document.addPage({ size: [width, height], margin: 0 });
		Object.assign(document.page.xobjects, { Qr: qr, ...(logo ? { Logo: logo } : {}) });
		for (const mark of marks) draw(document, mark);
	}
	document.end();
	await ended;
	return Buffer.concat(chunks);
}

type Document = InstanceType<typeof PDFDocument>;

function draw(document: Document, mark: Mark): void {
	const { x, y } = mark;
	switch (mark.kind) {
		case "text":
			document.font(mark.weight, mark.sizePt).text(mark.text, x, y, { lineBreak: false, baseline: "alphabetic" });
			return;
		case "rule":
			document
				.moveTo(x, y)
				.lineTo(x + mark.width, y)
				.lineWidth(mark.thickness)
				.stroke(mark.isLight ? LIGHT : BLACK);
			return;
		case "shade":
			document.rect(x, y, mark.width, mark.height).fill(SHADE).fillColor(BLACK);
			return;
		case "frame":
			document.rect(x, y, mark.width, mark.height).lineWidth(1).stroke(BLACK);
			return;
		case "logo":
			place(document, "Logo", x, y, mark.width, mark.height);
			return;
		case "qr":
			place(document, "Qr", x, y, mark.side, mark.side);
	}
}

/** Draws a definition of 1 by 1, with y upwards, in this box. */
function place(document: Document, name: string, x: number, y: number, width: number, height: number): void {
	document.save().transform(width, 0, 0, -height, x, y + height);
	document.addContent(`/${name} Do`);
	document.restore();
}

function defineQr(document: Document, matrix: QrMatrix): PDFKit.PDFKitReference {
	const side = matrix.length;
	const shapes = toRuns(matrix).map(({ x, y, length }) => `${x} ${side - 1 - y} ${length} 1 re`);
	const form = document.ref({
		Type: "XObject",
		Subtype: "Form",
		BBox: [0, 0, side, side],
		Matrix: [1 / side, 0, 0, 1 / side, 0, 0],
	});
	form.end(Buffer.from(`0 g\n${shapes.join("\n")}\nf\n`));
	return form;
}

function defineLogo(document: Document, { width, height, rgb }: Logo): PDFKit.PDFKitReference {
	const image = document.ref({
		...{ Type: "XObject", Subtype: "Image", Width: width, Height: height },
		...{ ColorSpace: "DeviceRGB", BitsPerComponent: 8, Filter: "FlateDecode" },
	});
	image.end(deflateSync(rgb));
	return image;
}
