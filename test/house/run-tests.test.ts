import { expect, test } from "bun:test";
import { countProcesses, showByFile } from "../../scripts/check/run-tests";

function showAll(pieces: readonly string[]): string[] {
	const written: string[] = [];
	const shown = showByFile((text) => void written.push(text));
	for (const piece of pieces) shown.add(piece);
	shown.end();
	return written;
}

test("output is passed on file by file, whatever its pieces", () => {
	const output = "\ntest/a.test.ts:\n(pass) one\n\ntest/b/c-d.test.ts:\nerror: no\n(fail) two\n\n 1 pass\n 1 fail\n";
	const byFile = ["\n", "test/a.test.ts:\n(pass) one\n\n", output.slice(output.indexOf("test/b"))];
	expect(showAll([...output]).join("|")).toBe(byFile.join("|"));
	expect(showAll(output.split(/(?<=\n)/)).join("|")).toBe(byFile.join("|"));
	expect(showAll([output]).join("")).toBe(output);
});

test("the line above a file's results is recognised in colours", () => {
	const line = "\u001b[0m\ntest/a.test.ts:\n(pass) one\n\u001b[1mtest/b.test.ts:\u001b[0m\n";
	expect(showAll([...line]).at(-1)).toBe("\u001b[1mtest/b.test.ts:\u001b[0m\n");
});

test("one process more than there are cores runs tests, four at most", () => {
	expect([1, 2, 3, 4, 64].map((cores) => countProcesses(cores))).toEqual([2, 3, 4, 4, 4]);
});
