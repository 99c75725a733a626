import { describe, expect, test } from "bun:test";
import { checkGates } from "../../../../src/registry/ingest/gates";
import { decodeText, isGarbled } from "../../../../src/registry/ingest/source/encoding";
import { entry, parseEntries, SAMPLE, toLine, unzip } from "../../build";

const source = await unzip(await Bun.file(SAMPLE).bytes());
const text = decodeText(source, "windows-1252");
const lines = text.trimEnd().split("\r\n");
const latin1 = (written: string) => Buffer.from(written, "latin1");
const asWindows = (bytes: Uint8Array) => decodeText(bytes, "windows-1252");
const windowsOf = (written: string) => latin1(written.replaceAll("€", "\x80").replaceAll("‘", "\x91"));
/** Windows-1252 as read by a decoder that does not know cp850. */
const plainWindows = (bytes: Uint8Array) => new TextDecoder("windows-1252").decode(bytes);

function judge(bytes: Uint8Array) {
	const parsed = parseEntries(bytes);
	return { parsed, reason: checkGates(parsed, undefined, false) };
}

describe("a real name is accepted:", () => {
	test.each([
		"COMPAÑÍA ELÉCTRICA PEÑÓN ÁÜÚ",
		"Doña Mélida Güira, Café Ñandú",
		"JOAQUÍN D´OLEO & ASOC.",
		"SÃO PAULO IMPORTAÇÃO",
		"CÂMARA DO COMÉRCIO",
		"KÖNIG & BÄCKER GMBH",
		"FRANÇOIS à PARIS",
		"1ª CLASE, 2º PISO",
		"¿QUÉ PASA? ¡VAMOS!",
		"D’AGOSTINO “EL BUENO” – HERMANOS",
		"DOMINO?S PIZZA",
		"CAMBIO £ ¥ € ¢",
	])("%s", (name) => {
		expect(isGarbled(name)).toBe(false);
	});
});

describe("garbled text is detected:", () => {
	test.each([
		...[..."ÁÉÍÓÚÑÜáéíóúñü´ªº’"].flatMap((letter) => [
			`PE${plainWindows(Buffer.from(letter))}A`,
			`PE${Buffer.from(letter).toString("latin1")}A`,
			`PE${asWindows(Buffer.from(letter))}A`,
		]),
		...["DOÃ?A", "DO¥A", "PE¤A", "RODR¡GUEZ", "L¢PEZ", "JES£S", "SµNCHEZ", "LàPEZ", "PINGšINO", "PE„A", "GARC\ufffdA"],
		...["PEÐA", "ELECTR├ìNICA", "C┴CERES", "D´ï¿½OLEO"],
	])("%s", (name) => {
		expect(isGarbled(name) || /[\x80-\x9f]/.test(name)).toBe(true);
	});
});

test("the sample has no garbled line in any encoding, and equal counts of letters", () => {
	const [windows, utf8] = [parseEntries(source), parseEntries(Buffer.from(text))];
	expect([windows.garbledCount, utf8.garbledCount]).toEqual([0, 0]);
	expect([windows.replacements, utf8.replacements]).toEqual([windows.replacements, { count: 0, firstLine: 0 }]);
	expect([windows.format.encoding, utf8.format.encoding]).toEqual(["windows-1252", "utf-8"]);
	expect(utf8.entries).toEqual(windows.entries);
	expect(utf8.spanishCount).toBe(windows.spanishCount);
	const written = windows.entries.map((one) => one.name + one.trade_name).join("");
	expect(windows.spanishCount).toBeGreaterThanOrEqual(written.match(/[ÁÉÍÓÚÑÜ]/g)?.length ?? 0);
});

describe("the sample is refused once a wrong decoding has destroyed its accents:", () => {
	const utf8 = Buffer.from(text);
	const mojibake = plainWindows(utf8);
	test.each<[string, Uint8Array]>([
		["read as UTF-8", Buffer.from(latin1(text).toString("utf8"))],
		["UTF-8 read as Windows-1252", Buffer.from(mojibake)],
		["UTF-8 read as Latin-1", Buffer.from(utf8.toString("latin1"))],
		["UTF-8 read as Windows-1252, saved as Latin-1", latin1(mojibake.replace(/[^\0-\xff]/g, "?"))],
		["UTF-8 read as Windows-1252 twice", Buffer.from(plainWindows(Buffer.from(mojibake)))],
		["UTF-8 read as cp850", Buffer.from(decodeText(utf8, "cp850"))],
		["Windows-1252 read as cp850", Buffer.from(decodeText(source, "cp850"))],
		["cp437 read as Windows-1252", Buffer.from(plainWindows(toCp437(text)))],
		["small letters of cp437 in Windows-1252", toCp437(text.toLowerCase().replace(/ \|/g, "|"))],
	])("%s", (_, bytes) => {
		const { reason } = judge(bytes);
		expect(reason).toMatch(
			/^(U\+FFFD stands in place of lost characters, \d+ in all, first in|\d+ of \d+ lines are garbled by a wrong decoding, the first is) line 6: the encoding of the source is damaged$/,
		);
	});
});

describe("one lost character is too many", () => {
	const where = 1_500;
	const damage = (one: (line: string) => string) => lines.map((line, at) => (at === where ? one(line) : line));
	const inStreet = (line: string) => line.split("|").with(4, "C/ \ufffd").join("|");
	const inName = (line: string) => line.split("|").with(1, "PE\ufffdA PE\ufffdA").join("|");
	test.each<[string, number, Uint8Array]>([
		["in a name of UTF-8", 2, Buffer.from(damage(inName).join("\r\n"))],
		["in a column of UTF-8 that is not served", 1, Buffer.from(damage(inStreet).join("\r\n"))],
		[
			"in Windows-1252",
			2,
			latin1(damage((line) => latin1(inName(line)) && Buffer.from(inName(line)).toString("latin1")).join("\r\n")),
		],
	])("%s", (_, count, bytes) => {
		expect(judge(bytes).reason).toBe(
			`U+FFFD stands in place of lost characters, ${count} in all, first in line ${where + 1}: the encoding of the source is damaged`,
		);
	});

	test("in CSV, whose header is its first line", () => {
		const header = "RNC,RAZON SOCIAL,ACTIVIDAD ECONOMICA,FECHA DE INICIO,ESTADO,REGIMEN DE PAGO";
		const rows = [1, 2, 3].map(
			(n) => `"99000000${n}","PE${n === 2 ? "\ufffd" : "Ñ"}A","VENTA","03/02/2014","ACTIVO","NORMAL"`,
		);
		expect(judge(Buffer.from([header, ...rows, ""].join("\r\n"))).reason).toContain("1 in all, first in line 3:");
	});
});

describe("a single garbled line is accepted and counted", () => {
	const other = entry({ rnc: "990009999", name: "PEÑA SRL" });
	test.each<[string, Uint8Array]>([
		["UTF-8 in Windows-1252", Buffer.concat([source, Buffer.from(`${toLine(other)}\r\n`)])],
		["mojibake in UTF-8", Buffer.from(`${text}${toLine({ ...other, name: "PEÃ‘A SRL" })}\r\n`)],
		["in an activity", windowsOf(`${text}${toLine({ ...other, economic_activity: "ENSEÃ‘ANZA" })}\r\n`)],
	])("%s", (_, bytes) => {
		const { parsed, reason } = judge(bytes);
		expect([reason, parsed.garbledCount, parsed.firstGarbledLine]).toEqual([undefined, 1, lines.length + 1]);
		expect(parsed.entries.find(({ rnc }) => rnc === other.rnc)).toBeDefined();
		expect(parsed.rows).toBe(parseEntries(source).rows + 1);
	});
});

/** Source: code page 437, the letters that these tests use; it has no other accented capitals. */
function toCp437(written: string): Uint8Array {
	const plain = written.replace(/[ÁÍÓÚ]/g, (letter) => ({ Á: "A", Í: "I", Ó: "O", Ú: "U" })[letter] ?? "");
	const codes: Record<string, number> = {
		É: 0x90,
		Ñ: 0xa5,
		Ü: 0x9a,
		á: 0xa0,
		é: 0x82,
		í: 0xa1,
		ó: 0xa2,
		ú: 0xa3,
		ñ: 0xa4,
		ü: 0x81,
	};
	return Uint8Array.from(plain, (letter) => codes[letter] ?? letter.charCodeAt(0));
}
