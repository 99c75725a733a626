/**
 * A receipt in ESC/POS, ready to be sent to the printer: 48 columns on 80 mm, 32 on 58 mm, in the printer's font A.
 *
 *     ESC @                   start from nothing
 *     FS .   ESC t 2          single bytes, code page 850
 *     GS v 0                  the logo in black and white
 *     ESC a, ESC E, GS !      centred, bold, large
 *     GS ( k                  the QR, which the printer makes itself: model, size of a module, level, address, print
 *     GS V 66                 feed and cut
 *
 * No text can contain a command: characters below U+0020 are removed. Source: Epson, ESC/POS command reference.
 */
import { wrap } from "../drawing";
import type { Logo } from "../logo";
import type { Receipt, ReceiptRow } from "./receipt";

/** What a printer for this paper prints. */
export type Printer = { readonly columns: number; readonly dots: number };
export const PRINTERS = {
	thermal_80: { columns: 48, dots: 576 },
	thermal_58: { columns: 32, dots: 384 },
} as const satisfies Record<string, Printer>;

const [ESC, FS, GS, LF] = [0x1b, 0x1c, 0x1d, 0x0a];
/** 8 dots make a millimetre: the norm's 22 mm and 3 mm of white at each side. */
const QR_DOTS_MIN = 176;
const QR_DOTS_WANTED = 256;
const QUIET_DOTS = 24;
const MODULE_DOTS_MAX = 16;
const LEVEL_M = 49;
const FEED_DOTS = 64;

type Qr = { readonly address: string; readonly modules: number };

type EscposParts = { readonly qr: Qr; readonly logo: Logo | undefined; readonly printer: Printer };

export function writeEscpos(receipt: Receipt, of: EscposParts): Uint8Array {
	const rows = [...receipt.head, ...receipt.lines.flat(), ...receipt.tail, ...receipt.foot];
	const start = [ESC, 0x40, FS, 0x2e, ESC, 0x74, CODE_PAGE_850];
	const cut = [GS, 0x56, 66, FEED_DOTS];
	return Buffer.concat([Uint8Array.from(start), ...rows.map((row) => writeRow(row, of)), Uint8Array.from(cut)]);
}

function writeRow(row: ReceiptRow, { qr, logo, printer }: EscposParts): Uint8Array {
	switch (row.kind) {
		case "rule":
			return line("-".repeat(printer.columns));
		case "text":
			return writeText(row, printer.columns);
		case "pair":
			return inStyle({ isStrong: row.isStrong }, pairLines(row.left, row.right, printer.columns));
		case "logo":
			return logo ? inStyle({ isCentered: true }, [writeRaster(toDots(logo))]) : new Uint8Array();
		case "qr":
			return inStyle({ isCentered: true }, [writeQr(qr, printer.dots), Uint8Array.of(LF)]);
	}
}

function writeText(row: ReceiptRow & { kind: "text" }, columns: number): Uint8Array {
	const width = row.isLarge ? Math.floor(columns / 2) : columns;
	const indent = row.text.startsWith(" ") ? 2 : 0;
	const lines = wrap(row.text, width - indent, countColumns).map((text) => line(`${" ".repeat(indent)}${text}`));
	return inStyle(row, lines);
}

/** As in the PDFs: side by side if the left text keeps a third of the paper, otherwise one below the other. */
function pairLines(left: string, right: string, columns: number): Uint8Array[] {
	const room = columns - right.length - 1;
	const isBeside = room > columns / 3;
	const indent = left.startsWith(" ") ? 2 : 0;
	const lefts = wrap(left, (isBeside ? room : columns) - indent, countColumns).map(
		(text) => `${" ".repeat(indent)}${text}`,
	);
	const last = isBeside ? (lefts.pop() ?? "") : "";
	return [...lefts.map(line), line(`${last}${right.padStart(columns - countColumns(last))}`)];
}

const countColumns = (text: string) => [...text].length;
const line = (text: string): Uint8Array => Buffer.concat([toCodePage(text), Uint8Array.of(LF)]);

type Style = {
	readonly isCentered?: true | undefined;
	readonly isStrong?: true | undefined;
	readonly isLarge?: true | undefined;
};

function inStyle({ isCentered, isStrong, isLarge }: Style, parts: readonly Uint8Array[]): Uint8Array {
	const on = [
		...(isCentered ? [ESC, 0x61, 1] : []),
		...(isStrong ? [ESC, 0x45, 1] : []),
		...(isLarge ? [GS, 0x21, 0x11] : []),
	];
	const off = [
		...(isLarge ? [GS, 0x21, 0] : []),
		...(isStrong ? [ESC, 0x45, 0] : []),
		...(isCentered ? [ESC, 0x61, 0] : []),
	];
	return Buffer.concat([Uint8Array.from(on), ...parts, Uint8Array.from(off)]);
}

/** A module has as many dots as needed for a QR of about 32 mm, at least the norm's 22 mm, if the paper is wide enough. */
function writeQr({ address, modules }: Qr, dots: number): Uint8Array {
	const wanted = Math.max(Math.floor(QR_DOTS_WANTED / modules), Math.ceil(QR_DOTS_MIN / modules));
	const size = Math.max(1, Math.min(wanted, MODULE_DOTS_MAX, Math.floor((dots - 2 * QUIET_DOTS) / modules)));
	const data = new TextEncoder().encode(address);
	return Buffer.concat([
		command(65, Uint8Array.of(50, 0)),
		command(67, Uint8Array.of(size)),
		command(69, Uint8Array.of(LEVEL_M)),
		command(80, Buffer.concat([Uint8Array.of(48), data])),
		command(81, Uint8Array.of(48)),
	]);
}

const QR_SYMBOL = 49;

function command(what: number, data: Uint8Array): Uint8Array {
	const length = data.length + 2;
	return Buffer.concat([Uint8Array.of(GS, 0x28, 0x6b, length & 0xff, length >> 8, QR_SYMBOL, what), data]);
}

function writeRaster({ rowBytes, rows, bits }: ReturnType<typeof toDots>): Uint8Array {
	const head = Uint8Array.of(GS, 0x76, 0x30, 0, rowBytes & 0xff, rowBytes >> 8, rows & 0xff, rows >> 8);
	return Buffer.concat([head, bits]);
}

const UPPER_HALF =
	"ÇüéâäàåçêëèïîìÄÅ" +
	"ÉæÆôöòûùÿÖÜø£Ø×ƒ" +
	"áíóúñÑªº¿®¬½¼¡«»" +
	"░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐" +
	"└┴┬├─┼ãÃ╚╔╩╦╠═╬¤" +
	"ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀" +
	"ÓßÔÒõÕµþÞÚÛÙýÝ¯´" +
	"\u00AD±‗¾¶§÷¸°¨·¹³²■\u00A0";

/** Its number in the printers' command. */
export const CODE_PAGE_850 = 2;
const BOX = "\u25A1";
const codes = new Map([...UPPER_HALF].map((letter, i) => [letter, 0x80 + i]));

export function hasLetter(codePoint: number): boolean {
	return (codePoint >= 0x20 && codePoint < 0x7f) || codes.has(String.fromCodePoint(codePoint));
}

/** The bytes of a text in code page 850. Missing characters become question marks; control characters are removed. */
export function toCodePage(text: string): Uint8Array {
	const bytes = [...text].map((letter) => {
		const code = letter.codePointAt(0) ?? 0;
		if (code >= 0x20 && code < 0x7f) return code;
		return (letter === BOX ? undefined : codes.get(letter)) ?? 0x3f;
	});
	return Uint8Array.from(bytes);
}

/** Rows of whole bytes, the first dot in the highest bit, 1 for black. */
export type Dots = { readonly rowBytes: number; readonly rows: number; readonly bits: Uint8Array };

export function toDots({ width, height, rgb }: Logo): Dots {
	const rowBytes = Math.ceil(width / 8);
	const bits = new Uint8Array(rowBytes * height);
	const greys = Float64Array.from({ length: width * height }, (_, i) => {
		const [red = 0, green = 0, blue = 0] = rgb.subarray(i * 3, i * 3 + 3);
		return 0.299 * red + 0.587 * green + 0.114 * blue;
	});
	const spread = (x: number, y: number, error: number) => {
		if (x >= 0 && x < width && y < height) greys[y * width + x] = (greys[y * width + x] ?? 0) + error;
	};
	for (let y = 0; y < height; y++) {
		for (let x = 0; x < width; x++) {
			const grey = greys[y * width + x] ?? 0;
			const isBlack = grey < 128;
			const error = (grey - (isBlack ? 0 : 255)) / 16;
			const at = y * rowBytes + (x >> 3);
			if (isBlack) bits[at] = (bits[at] ?? 0) | (0x80 >> (x & 7));
			spread(x + 1, y, error * 7);
			spread(x - 1, y + 1, error * 3);
			spread(x, y + 1, error * 5);
			spread(x + 1, y + 1, error);
		}
	}
	return { rowBytes, rows: height, bits };
}
