import { expect, test } from "bun:test";
import fc from "fast-check";
import type { RegistryEntry } from "../../../../src/registry";
import { keyOf } from "../../../../src/registry/index/document-key";
import { decodeText } from "../../../../src/registry/ingest/source/encoding";
import { recogniseFormat } from "../../../../src/registry/ingest/source/format";
import { joinRecords } from "../../../../src/registry/ingest/source/join-records";
import { entries, parseEntries, toLine } from "../../build";

const LF = 0x0a;
/**
 * Its accents determine the encoding whatever the other lines hold. Two accents side by side may form a UTF-8 letter,
 * and too many of those would refuse a source.
 */
const filler = entries(60, 100).map((entry) => toLine({ ...entry, name: `${entry.name} COMPAÑÍA DE ÁRBOLES` }));
const header = '"RNC","RAZON SOCIAL","ACTIVIDAD ECONOMICA","FECHA DE INICIO","ESTADO","REGIMEN DE PAGO"';
const fillerCsv = [header, ...filler.map((line) => toCsv(line.split("|")))];

function toCsv(cells: readonly string[]): string {
	return [cells[0], cells[1], cells[3], cells[8], cells[9], cells[10]].map((cell) => `"${cell}"`).join(",");
}

/** Content that files have, and content that they should not have. */
const letter = fc.constantFrom(
	..."ABÑÉÓü 1-'&.,\"",
	" ",
	"  ",
	"\t",
	"\r",
	"\0",
	"\x7f",
	"\x93",
	"\x81",
	"\xa0",
	..."ÃÂàš£¥Ð½",
	"Ã\x91",
	"\\",
	'","',
);
const cell = fc.oneof(
	fc.array(letter, { maxLength: 12 }).map((letters) => letters.join("")),
	fc.constantFrom("ACTIVO", "activo ", "NORMAL", "VENTA AL POR MENOR", "PRODUCCIÓN", "", " "),
);
const number = fc.oneof(
	fc.stringMatching(/^99[0-9]{7}$/),
	fc.stringMatching(/^999[0-9]{8}$/),
	fc.constantFrom("9-90-00001-1", " 990000012", "9900000134", "99000001X", "", '"990000014"', "990\t000015"),
);
const line = fc
	.tuple(number, fc.array(cell, { minLength: 9, maxLength: 11 }), fc.constantFrom("", " ", "  \r", "\r", "|"))
	.map(([first, cells, end]) => [first, ...cells].join("|") + end);

/** Reads every line as text. */
function readAsText(bytes: Uint8Array) {
	const format = recogniseFormat(bytes);
	const found = new Map<string, RegistryEntry>();
	const counts = { refused: 0, duplicate: 0 };
	const joiner = joinRecords(format, {
		take: (entry) => {
			if (found.has(entry.rnc)) counts.duplicate++;
			found.set(entry.rnc, entry);
		},
		refuse: () => {
			counts.refused++;
		},
		countGarbled: () => undefined,
		countSplit: () => undefined,
	});
	for (let start = format.firstByte; start < bytes.length; ) {
		const next = bytes.indexOf(LF, start);
		const end = next < 0 ? bytes.length : next;
		joiner.take(decodeText(bytes.subarray(start, end), format.encoding));
		start = end + 1;
	}
	const endsCut = joiner.end({
		activities: () => [...found.values()].map((entry) => entry.economic_activity),
		listTaken: (keys) => new Set([...found.keys()].map(keyOf).filter((key) => keys.has(key))),
	});
	const list = [...found.values()].sort((a, b) => (a.rnc < b.rnc ? -1 : 1));
	return { entries: list, refusedCount: counts.refused + counts.duplicate, endsCut };
}

const asText = (written: string) => written;
const asCsv = (written: string) => toCsv(written.split("|"));
test.each([
	["text", "latin1", filler, asText],
	["text", "utf8", filler, asText],
	["csv", "latin1", fillerCsv, asCsv],
	["csv", "utf8", fillerCsv, asCsv],
] as const)("any line of the %s format in %s reads alike as bytes and as text", (name, encoding, good, write) => {
	fc.assert(
		fc.property(fc.array(line, { minLength: 1, maxLength: 12 }), (lines) => {
			const bytes = Buffer.from([...good, ...lines.map(write), ""].join("\n"), encoding);
			const parsed = parseEntries(bytes);
			expect(parsed.format.name).toBe(name);
			const { entries: list, refusedCount, endsCut } = parsed;
			expect({ entries: list, refusedCount, endsCut }).toEqual(readAsText(bytes));
		}),
		{ numRuns: 40 },
	);
});
