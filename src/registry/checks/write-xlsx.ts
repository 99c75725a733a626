/**
 * Writes a workbook of one sheet, row by row. Texts are inline, so no cell is ever a formula; numbers stay numbers.
 *
 * The sheet is compressed in independent blocks, which together are one stream: each ends with an empty block on a byte boundary.
 * Source: ECMA-376, part 1, 18.3; RFC 1951, 3.2.4; APPNOTE.TXT 6.3.10, 4.3.
 */

import { closeSync, openSync, writeSync } from "node:fs";
import { constants, crc32, deflateRawSync } from "node:zlib";

export type SheetWriter = {
	/** Undefined and empty cells are omitted. */
	readonly add: (cells: readonly (string | number | undefined)[]) => void;
	/** Ends the file. */
	readonly end: () => void;
	/** Closes the file, complete or not. */
	readonly close: () => void;
};

type Written = { readonly name: string; readonly head: Buffer; readonly at: number };

const BLOCK_CHARACTERS = 256 * 1024;
const LEVEL = 1;
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const NS = "http://schemas.openxmlformats.org";
const SHEET = "xl/worksheets/sheet1.xml";
/** An empty last block with fixed codes. */
const LAST_BLOCK = Buffer.from([3, 0]);

const OTHERS: readonly (readonly [name: string, xml: string])[] = [
	[
		"[Content_Types].xml",
		`<Types xmlns="${NS}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/${SHEET}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`,
	],
	[
		"_rels/.rels",
		`<Relationships xmlns="${NS}/package/2006/relationships"><Relationship Id="rId1" Type="${NS}/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
	],
	[
		"xl/workbook.xml",
		`<workbook xmlns="${NS}/spreadsheetml/2006/main" xmlns:r="${NS}/officeDocument/2006/relationships"><sheets><sheet name="Result" sheetId="1" r:id="rId1"/></sheets></workbook>`,
	],
	[
		"xl/_rels/workbook.xml.rels",
		`<Relationships xmlns="${NS}/package/2006/relationships"><Relationship Id="rId1" Type="${NS}/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
	],
];

export function openXlsx(path: string): SheetWriter {
	const file = openSync(path, "wx", 0o600);
	const written: Written[] = [];
	let position = 0;
	const write = (bytes: Uint8Array) => {
		writeSync(file, bytes);
		position += bytes.length;
	};
	const addMember = (name: string, xml: string) => {
		const bytes = Buffer.from(HEAD + xml);
		const packed = deflateRawSync(bytes);
		const head = headOf(crc32(bytes), packed.length, bytes.length);
		written.push({ name, head, at: position });
		write(Buffer.concat([Buffer.from("PK\u0003\u0004"), head, nameOf(name), Buffer.from(name), packed]));
	};
	for (const [name, xml] of OTHERS) addMember(name, xml);

	// The sheet's sizes are known at its end and written into its header then.
	const sheetAt = position;
	write(Buffer.concat([Buffer.from("PK\u0003\u0004"), headOf(0, 0, 0), nameOf(SHEET), Buffer.from(SHEET)]));
	const dataAt = position;
	let crc = 0;
	let bytes = 0;
	let rows = 0;
	let text = `${HEAD}<worksheet xmlns="${NS}/spreadsheetml/2006/main"><sheetData>`;
	const flush = () => {
		const block = Buffer.from(text);
		text = "";
		crc = crc32(block, crc);
		bytes += block.length;
		write(deflateRawSync(block, { level: LEVEL, finishFlush: constants.Z_SYNC_FLUSH }));
	};
	return {
		add: (cells) => {
			rows++;
			text += `<row r="${rows}">`;
			for (let i = 0; i < cells.length; i++) {
				const cell = cells[i];
				if (cell === undefined || cell === "") continue;
				const place = `<c r="${lettersOf(i)}${rows}"`;
				text +=
					typeof cell === "number"
						? `${place}><v>${cell}</v></c>`
						: `${place} t="inlineStr"><is><t xml:space="preserve">${encodeText(cell)}</t></is></c>`;
			}
			text += "</row>";
			if (text.length >= BLOCK_CHARACTERS) flush();
		},
		end: () => {
			text += "</sheetData></worksheet>";
			flush();
			write(LAST_BLOCK);
			const head = headOf(crc, position - dataAt, bytes);
			writeSync(file, head, 0, head.length, sheetAt + 4);
			written.push({ name: SHEET, head, at: sheetAt });
			writeDirectory(written, position, write);
		},
		close: () => closeSync(file),
	};
}

/** What local header and directory share: version, flags (names in UTF-8), method, a fixed time, checksum, sizes. */
function headOf(crc: number, packedBytes: number, bytes: number): Buffer {
	const head = Buffer.alloc(22);
	head.writeUInt16LE(20, 0);
	head.writeUInt16LE(0x0800, 2);
	head.writeUInt16LE(8, 4);
	head.writeUInt16LE(0x21, 8);
	head.writeUInt32LE(crc, 10);
	head.writeUInt32LE(packedBytes, 14);
	head.writeUInt32LE(bytes, 18);
	return head;
}

function nameOf(name: string): Buffer {
	const lengths = Buffer.alloc(4);
	lengths.writeUInt16LE(Buffer.byteLength(name), 0);
	return lengths;
}

function writeDirectory(written: readonly Written[], at: number, write: (bytes: Uint8Array) => void): void {
	const records = written.map((one) => {
		const rest = Buffer.alloc(14);
		rest.writeUInt32LE(one.at, 10);
		return Buffer.concat([
			Buffer.from("PK\u0001\u0002\u0014\u0000"),
			one.head,
			nameOf(one.name),
			rest,
			Buffer.from(one.name),
		]);
	});
	const directory = Buffer.concat(records);
	const end = Buffer.alloc(22);
	end.write("PK\u0005\u0006", 0, "latin1");
	end.writeUInt16LE(written.length, 8);
	end.writeUInt16LE(written.length, 10);
	end.writeUInt32LE(directory.length, 12);
	end.writeUInt32LE(at, 16);
	write(Buffer.concat([directory, end]));
}

const letters: string[] = [];

function lettersOf(i: number): string {
	const known = letters[i];
	if (known !== undefined) return known;
	const made = (i >= 26 ? lettersOf(Math.floor(i / 26) - 1) : "") + String.fromCharCode(65 + (i % 26));
	letters[i] = made;
	return made;
}

const special = /[&<>\r]|_x[0-9A-F]{4}_/gi;

/** The underscore of what looks like an escape is escaped itself. */
function encodeText(text: string): string {
	return text.replace(special, (found) => {
		if (found === "&") return "&amp;";
		if (found === "<") return "&lt;";
		if (found === ">") return "&gt;";
		return found === "\r" ? "&#13;" : `_x005F${found}`;
	});
}
