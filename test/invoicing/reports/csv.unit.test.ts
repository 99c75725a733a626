import { expect, test } from "bun:test";
import fc from "fast-check";
import { csvLine, textCell } from "../../../src/platform/values";

test.each([
	[null, ""],
	["Centro", "Centro"],
	['Santiago, "Norte"', '"Santiago, ""Norte"""'],
	["=1+1", "'=1+1"],
	["@SUM(A1)", "'@SUM(A1)"],
	["-1", "'-1"],
	["+1", "'+1"],
	["\t=1", "'\t=1"],
	["\uff1d1", "'\uff1d1"],
	[" a", '" a"'],
	["a\nb", '"a\nb"'],
])("the cell of %j is %j", (text, cell) => {
	expect(textCell(text)).toBe(cell);
});

/** A reader of RFC 4180 that shares nothing with the writer. */
function readLine(line: string): string[] {
	const cells: string[] = [];
	let at = 0;
	for (;;) {
		const quoted = /"((?:[^"]|"")*)"/y;
		const plain = /[^,"\r\n]*/y;
		const form = line[at] === '"' ? quoted : plain;
		form.lastIndex = at;
		const [whole = "", inside] = form.exec(line) ?? [];
		cells.push(inside?.replaceAll('""', '"') ?? whole);
		at += whole.length;
		if (line[at] !== ",") return line.slice(at) === "\r\n" ? cells : ["not a line"];
		at++;
	}
}

test("whatever the texts are, they come back whole and none begins like a formula", () => {
	fc.assert(
		fc.property(fc.array(fc.string(), { minLength: 2, maxLength: 5 }), (texts) => {
			const cells = readLine(csvLine(texts.map(textCell)));
			expect(cells.map((cell, i) => (cell === texts[i] ? cell : cell.slice(1)))).toEqual(texts);
			for (const cell of cells) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
		}),
	);
});
