import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { decodeText, sniffEncoding } from "../../../../src/registry/ingest/source/encoding";
import { createChance } from "../../../support/chance";
import { entries, entry, parseEntries, SAMPLE, toLine, toText, unzip } from "../../build";

type ParsedSource = ReturnType<typeof parseEntries>;

const good = entry();
const filler = entries(20, 100);

const latin1 = (text: string) => Buffer.from(text, "latin1");

/** Puts lines among good records, so that the format is recognised. */
function parseLines(...lines: string[]): ParsedSource {
	return parseEntries(latin1([...filler.map(toLine), ...lines, toLine(entry({ rnc: "990009999" }))].join("\r\n")));
}

function find(parsed: ParsedSource, rnc = good.rnc) {
	return parsed.entries.find((e) => e.rnc === rnc);
}

describe("the text format", () => {
	const line = toLine(good);
	test.each<[string, string, Partial<typeof good>]>([
		["double and trailing spaces", line.replace("COMERCIAL EJEMPLO SRL", " COMERCIAL  EJEMPLO   SRL  "), {}],
		["stray quotes", line.replace("COMERCIAL EJEMPLO SRL", 'COMERCIAL "EJEMPLO" SRL"'), {}],
		["tabs", line.replace("COMERCIAL EJEMPLO", "COMERCIAL\tEJEMPLO"), {}],
		["a blank commercial name", line.replace("|EJEMPLO|", "| |"), { trade_name: "" }],
		["an empty regime", line.replace("|NORMAL", "|"), { payment_regime: "" }],
		["an impossible date", line.replace("03/02/2014", "00/00/0000"), {}],
		["a blank date", line.replace("03/02/2014", " "), {}],
		["a break between words", line.replace("COMERCIAL EJEMPLO", "COMERCIAL\r\nEJEMPLO"), {}],
		["a break into three lines", line.replaceAll(/COMERCIAL |VENTA /g, (word) => `${word.trim()}\n`), {}],
		["a status in lower case", line.replace("ACTIVO", "activo"), {}],
		["an unknown status", line.replace("ACTIVO", "EN REVISION"), { status: "EN REVISION" }],
		["a regime RST", line.replace("NORMAL", "RST"), { payment_regime: "RST" }],
		["a regime N/D", line.replace("NORMAL", "N/D"), { payment_regime: "N/D" }],
		["accents and Ñ", line.replace("EJEMPLO SRL", "PEÑÓN"), { name: "COMERCIAL PEÑÓN" }],
		["É of the other code page", line.replace("EJEMPLO SRL", "CAF\x90"), { name: "COMERCIAL CAFÉ" }],
		["a number with hyphens", line.replace("990000001", "9-90-00000-1"), {}],
	])("heals or keeps %s", async (_, written, expected) => {
		const parsed = parseLines(written);
		expect(find(parsed)).toEqual({ ...good, ...expected });
		expect(parsed.refusedCount).toBe(0);
		expect(parsed.endsCut).toBe(false);
		expect(parsed.entries.length).toBe(filler.length + 2);
	});

	test.each<[string, string, Partial<ParsedSource["refused"]>]>([
		["a number of 8 digits", line.replace("990000001", "99000001"), { "document-form": 1 }],
		["a number of 10 digits", line.replace("990000001", "9900000011"), { "document-form": 1 }],
		["a number with letters", line.replace("990000001", "99000000X"), { "document-form": 1 }],
		["a column too many", `${line}|X`, { "column-count": 1 }],
		["a record without its end", line.slice(0, 40), { "broken-record": 1 }],
		["two records without their ends", `${line.slice(0, 50)}\r\n${line.slice(0, 50)}`, { "broken-record": 2 }],
		["a NUL", line.replace("EJEMPLO SRL", "EJEM\0PLO"), { "control-character": 1 }],
		["a line of 10,000 characters", line.replace("EJEMPLO SRL", "X".repeat(10_000)), { "too-long": 1 }],
		["a line of 3 MB", line.replace("EJEMPLO SRL", "X".repeat(3_000_000)), { "too-long": 1 }],
	])("refuses %s and nothing beside it", async (_, written, expected) => {
		const parsed = parseLines(written);
		expect(find(parsed)).toBeUndefined();
		const counted = Object.entries(parsed.refused).filter(([, count]) => count > 0);
		expect(Object.fromEntries(counted)).toEqual(expected);
		expect(find(parsed, "990009999")).toBeDefined();
		expect(parsed.entries.length).toBe(filler.length + 1);
	});

	test("keeps the last of two records with one number and counts the other", async () => {
		const parsed = parseLines(line, toLine({ ...good, name: "OTRO NOMBRE SRL" }));
		expect(find(parsed)?.name).toBe("OTRO NOMBRE SRL");
		expect(parsed.refused.duplicate).toBe(1);
	});

	test("is truncated if the last record is incomplete", async () => {
		const text = toText(filler);
		expect(parseEntries(text.subarray(0, text.length - 30)).endsCut).toBe(true);
		expect(parseEntries(text.subarray(0, text.length - 2)).endsCut).toBe(false);
	});

	test("reads LF lines, a last line without an end, blank lines and Control-Z", async () => {
		const parsed = parseEntries(latin1(`${filler.map(toLine).join("\n")}\n\n${line}\n\x1a`));
		expect(parsed.entries.length).toBe(filler.length + 1);
		expect(parsed.refusedCount).toBe(0);
	});

	test("yields entries by ascending number", async () => {
		const parsed = parseEntries(toText([...filler].reverse()));
		expect(parsed.entries).toEqual(filler);
	});

	test("reads a file of several megabytes completely", async () => {
		const many = entries(30_000);
		const parsed = parseEntries(toText(many));
		expect(parsed.entries).toEqual(many);
	});
});

describe("columns behind the last one of the text format", () => {
	const wide = filler.map((e) => `${toLine(e)}|SI|`);

	test("are ignored if number, status and regime are where they belong", () => {
		const parsed = parseEntries(latin1(wide.join("\r\n")));
		expect(parsed.entries).toEqual(filler);
		expect(parsed.format.ignored).toEqual(["column 12", "column 13"]);
	});

	test("are refused if they are not, with what was found", () => {
		const shifted = wide.map((line) => line.replace("|ACTIVO", "|X|ACTIVO"));
		expect(() => parseEntries(latin1(shifted.join("\r\n")))).toThrow(
			"14 columns between bars in most lines, expected 11; number, status and regime are where they belong in 0 of 19 lines",
		);
	});
});

describe("a bar inside a text", () => {
	const line = toLine({ ...good, economic_activity: "VENTA AL POR MENOR" });
	test.each<[string, string, Partial<typeof good>]>([
		["in the name", line.replace("COMERCIAL EJEMPLO", "COMERCIAL | EJEMPLO"), { name: "COMERCIAL | EJEMPLO SRL" }],
		["in the commercial name", line.replace("|EJEMPLO|", "|EJEM|PLO|"), { trade_name: "EJEM|PLO" }],
		["in the activity", line.replace("VENTA AL", "VENTA |AL"), {}],
		["in the address", line.replace("| | | | |", "| |C/ SOL| | | |"), {}],
		[
			"in name and activity",
			line.replace("EJEMPLO SRL", "EJEM|PLO SRL").replace("MENOR", "|MENOR"),
			{ name: "COMERCIAL EJEM|PLO SRL" },
		],
	])("is healed %s", (_, written, expected) => {
		const parsed = parseLines(written);
		expect(find(parsed)).toEqual({ ...good, ...expected });
		expect(parsed).toMatchObject({ healed: 1, guessed: 0, refusedCount: 0 });
	});

	test("joins the name if no other line has the activity", () => {
		const parsed = parseLines(line.replace("COMERCIAL", "COMER|CIAL").replace("VENTA AL POR MENOR", "BUCEO"));
		expect(find(parsed)).toEqual({ ...good, name: "COMER|CIAL EJEMPLO SRL", economic_activity: "BUCEO" });
		expect(parsed).toMatchObject({ healed: 0, guessed: 1, refusedCount: 0 });
		expect(parsed.refusedLines).toMatchObject([{ reason: "guessed", line: 21 }]);
	});

	test("loses against a line without one, wherever that stands", () => {
		const parsed = parseLines(line, line.replace("COMERCIAL", "OTRA | COMERCIAL"));
		expect(find(parsed)).toEqual(good);
		expect(parsed.refused.duplicate).toBe(1);
	});

	test("of 1,000 in a registry costs no taxpayer and few names", async () => {
		const text = Buffer.from(await unzip(readFileSync(SAMPLE))).toString("latin1");
		const clean = parseEntries(latin1(text)).entries;
		const { whole, percent } = createChance(1);
		const isWhole = (written: string) => written.split("|").length === 11 && /^[0-9]{9}([0-9]{2})?\|/.test(written);
		let bars = 0;
		const damaged = text.split("\r\n").map((written) => {
			if (bars === 1_000 || !isWhole(written) || percent(45)) return written;
			bars++;
			const cells = written.split("|");
			// As often in a column as it has characters: name, commercial name, activity, street, number, sector, phone.
			const from = written.indexOf("|") + 1;
			const to = written.length - cells.slice(8).join("|").length;
			const at = whole(from, to - 1);
			return `${written.slice(0, at)}|${written.slice(at)}`;
		});
		const { entries: found, healed, guessed } = parseEntries(latin1(damaged.join("\r\n")));
		expect(bars).toBe(1_000);
		expect(healed + guessed).toBe(1_000);
		expect(found.map(({ rnc }) => rnc)).toEqual(clean.map(({ rnc }) => rnc));
		const isRight = (name: string, i: number) => name.replaceAll("|", "") === clean[i]?.name;
		const wrong = found.filter(({ name }, i) => !isRight(name, i) && !isRight(name.replaceAll(/ ?\| ?/g, " "), i));
		expect(wrong.length).toBeLessThanOrEqual(50);
	});
});

describe("the CSV format", () => {
	const header = '"RNC","RAZÓN SOCIAL","ACTIVIDAD ECONÓMICA","FECHA DE INICIO OPERACIONES","ESTADO","RÉGIMEN DE PAGO"';
	const row = '"990000001","COMERCIAL EJEMPLO SRL","VENTA AL POR MENOR","03/02/2014","ACTIVO","NORMAL"';
	const expected = { ...good, trade_name: "" };

	test.each([
		["as published", row],
		["with stray quotes in the name", row.replace("EJEMPLO", '"EJEMPLO"')],
		["with double spaces", row.replace("COMERCIAL EJEMPLO SRL", "COMERCIAL  EJEMPLO SRL ")],
		["broken inside the name", row.replace("COMERCIAL EJEMPLO", "COMERCIAL\r\nEJEMPLO")],
		["without quotes", row.replaceAll('"', "")],
	])("reads a record %s", async (_, written) => {
		const parsed = parseEntries(latin1(`${header}\r\n${written}\r\n`));
		expect(parsed.format.name).toBe("csv");
		expect(parsed.entries).toEqual([expected]);
		expect(parsed.refusedCount).toBe(0);
	});

	test("keeps a comma inside quotes", async () => {
		const parsed = parseEntries(latin1(`${header}\r\n${row.replace("EJEMPLO SRL", "EJEMPLO, S.R.L.")}\r\n`));
		expect(parsed.entries[0]?.name).toBe("COMERCIAL EJEMPLO, S.R.L.");
	});

	test("finds columns by name in any order", async () => {
		const swapped =
			'"ESTADO","RNC","RÉGIMEN DE PAGO","RAZÓN SOCIAL","FECHA DE INICIO OPERACIONES","ACTIVIDAD ECONÓMICA"';
		const written = '"ACTIVO","990000001","NORMAL","COMERCIAL EJEMPLO SRL","03/02/2014","VENTA AL POR MENOR"';
		expect(parseEntries(latin1(`${swapped}\n${written}\n`)).entries).toEqual([expected]);
	});

	test("ignores columns that were added and names them", () => {
		const wide = `"FACTURADOR",${header.replace('"ESTADO"', '"ESTADO","ESTADO DE FACTURA"')}`;
		const written = `"SI",${row.replace('"ACTIVO"', '"ACTIVO","X"')}`;
		const parsed = parseEntries(latin1(`${wide}\r\n${written}\r\n`));
		expect(parsed.entries).toEqual([expected]);
		expect(parsed.format.ignored).toEqual(["FACTURADOR", "ESTADO DE FACTURA"]);
		expect(parsed.refusedLines).toEqual([]);
		const [first] = parseEntries(
			latin1(`${wide}\r\n${written}\r\n${written}\r\n${written},"1"\r\n${written},"1"`),
		).refusedLines;
		expect(first).toMatchObject({ reason: "column-count", line: 4, found: "9 columns, expected 8" });
	});

	test("reads commercial names if the header has them", () => {
		const named = `${header},"NOMBRE COMERCIAL"\r\n${row},"EJEMPLO"\r\n`;
		expect(parseEntries(latin1(named)).entries).toEqual([good]);
	});

	test("says which columns of the header are missing, unknown or ambiguous", () => {
		const refusalOf = (line: string) => () => parseEntries(latin1(`${line}\r\n${row}\r\n`));
		expect(refusalOf('"RNC","RAZÓN SOCIAL","ESTADO","FACTURADOR"')).toThrow(
			"a header of 4 columns, expected 6; missing: ACTIVIDAD ECONOMICA, REGIMEN DE PAGO; unknown: FACTURADOR",
		);
		expect(refusalOf(header.replace('"ESTADO"', '"ESTADO A","ESTADO B"'))).toThrow(
			"several columns may be ESTADO: ESTADO A, ESTADO B",
		);
	});

	test("refuses a row with a column more or less", async () => {
		const more = `${row},"X"`;
		const parsed = parseEntries(latin1([header, row, more, row.replace("990000001", "990000002"), ""].join("\r\n")));
		expect(parsed.refused["column-count"]).toBe(1);
		expect(parsed.entries.length).toBe(2);
	});

	test.each([
		["windows-1252", (text: string) => latin1(text)],
		["cp850", toCp850],
		["utf-8", (text: string) => Buffer.from(text, "utf8")],
		["utf-8", (text: string) => Buffer.from(`\ufeff${text}`, "utf8")],
	] as const)("recognises %s by the header and reads Ñ and accents in it", async (encoding, encode) => {
		const text = `${header}\r\n${row.replace("EJEMPLO", "ÑÁÉÍÓÚÜ")}\r\n`;
		const parsed = parseEntries(encode(text));
		expect(parsed.format.encoding).toBe(encoding);
		expect(parsed.entries[0]?.name).toBe("COMERCIAL ÑÁÉÍÓÚÜ SRL");
	});
});

describe("a source in neither format", () => {
	const text = toText(filler);
	test.each<[string, Uint8Array]>([
		["nothing", new Uint8Array(0)],
		["blank lines", latin1("\r\n\r\n")],
		["a page of HTML", latin1("<!DOCTYPE html>\r\n<html><body>503 Service Unavailable</body></html>\r\n".repeat(20))],
		["UTF-16", Buffer.from(`\ufeff${Buffer.from(text).toString("latin1")}`, "utf16le")],
		["NUL bytes", new Uint8Array(10_000)],
		["lines that end in CR alone", latin1(filler.map(toLine).join("\r"))],
		["a column too few everywhere", latin1(filler.map((e) => toLine(e).replace("|EJEMPLO", "")).join("\r\n"))],
		[
			"a column too many in the middle",
			latin1(filler.map((e) => toLine(e).replace("|ACTIVO", "|X|ACTIVO")).join("\n")),
		],
		["numbers in another column", latin1(filler.map((e) => toLine(e).split("|").reverse().join("|")).join("\r\n"))],
		["a CSV header with a column missing", latin1('"RNC","RAZON SOCIAL","ESTADO"\r\n"990000001","X","ACTIVO"\r\n')],
		["another zip inside", latin1("PK\x03\x04whatever\r\nelse")],
	])("is refused: %s", async (_, bytes) => {
		expect(() => parseEntries(bytes)).toThrow("neither of the authority's two formats");
	});
});

test("code page 850 is recognised without a header and read completely", () => {
	const text = "COMPAÑÍA ELÉCTRICA PEÑÓN ÁÜ";
	const bytes = toCp850(text);
	expect(sniffEncoding(bytes)).toBe("cp850");
	expect(decodeText(bytes, "cp850")).toBe(text);
	expect(sniffEncoding(latin1(text))).toBe("windows-1252");
	expect(decodeText(Uint8Array.of(0x93, 0x78, 0x94, 0x96, 0xfc), "windows-1252")).toBe("“x”–ü");
});

describe("damaged UTF-8 is refused", () => {
	const header = '"RNC","RAZÓN SOCIAL","ACTIVIDAD ECONÓMICA","FECHA DE INICIO OPERACIONES","ESTADO","RÉGIMEN DE PAGO"';
	const csvLine = (name: string) => `"990000001","${name}","VENTA","03/02/2014","ACTIVO","NORMAL"`;
	const lineOf = (name: string) => toLine(entry({ name }));
	const names = Array.from({ length: 20 }, (_, i) => `COMPAÑÍA ${i}`);
	const toUtf8 = (lines: readonly string[]) => Buffer.from(`${lines.join("\r\n")}\r\n`);
	test.each<[string, Buffer]>([
		["in the text form", toUtf8(names.map(lineOf))],
		["in the CSV form", toUtf8([header, ...names.map(csvLine)])],
		["in a CSV header without accents", toUtf8([header.replaceAll("Ó", "O").replace("É", "E"), ...names.map(csvLine)])],
		["where the accents come late", toUtf8([...Array(200_000).fill(lineOf("COMPANIA")), ...names.map(lineOf)])],
	])("%s", (_, bytes) => {
		expect(sniffEncoding(bytes)).toBe("utf-8");
		for (const wrong of [0x20, 0xd1]) {
			bytes[bytes.lastIndexOf("Ñ") + 1] = wrong;
			expect(() => parseEntries(bytes)).toThrow("the source is UTF-8 with invalid bytes");
		}
	});

	test("but UTF-8 lines among those of another page are read as that page", () => {
		const few = Buffer.concat([
			latin1(names.map((name) => `${lineOf(name)}\r\n`).join("")),
			toUtf8(names.slice(9).map(lineOf)),
		]);
		expect(sniffEncoding(few)).toBe("windows-1252");
	});
});

/** Source: code page 850, the letters that these tests use. */
function toCp850(text: string): Uint8Array {
	const codes: Record<string, number> = { Á: 0xb5, É: 0x90, Í: 0xd6, Ó: 0xe0, Ú: 0xe9, Ñ: 0xa5, Ü: 0x9a };
	return Uint8Array.from(text, (letter) => codes[letter] ?? letter.charCodeAt(0));
}
