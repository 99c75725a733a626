import { expect, test } from "bun:test";
import {
	closingLine,
	countSkipsByReason,
	readCounts,
	readFileCount,
	readSkipped,
} from "../../scripts/check/closing-line";

const summary = (...lines: readonly string[]) =>
	["bun test v1.4.5", "", "a.test.ts:", "(pass) one [0.04ms]", "", ...lines, "Ran 9 tests across 2 files."].join("\n");

test("the counts of a run are those of its summary", () => {
	const counts = readCounts(summary(" 12 pass", " 2 skip", " 1 todo", " 0 fail", " 40 expect() calls"), 0);
	expect(counts).toEqual({ passed: 12, failed: 0, skipped: 3 });
	expect(closingLine(counts)).toBe("12 passed, 0 failed, 3 skipped");
});

test("an error outside of a test is a failure", () => {
	expect(readCounts(summary(" 12 pass", " 1 fail", " 1 error"), 1).failed).toBe(2);
});

test("a count that a test prints is not read as the summary", () => {
	expect(readCounts(summary(" 99 pass", " 5 skip", "more output", " 3 pass", " 0 fail"), 0)).toEqual({
		passed: 3,
		failed: 0,
		skipped: 0,
	});
});

test("colours do not hide the counts", () => {
	expect(readCounts(summary("\u001b[32m 7 pass\u001b[0m", "\u001b[2m 0 fail\u001b[0m"), 0).passed).toBe(7);
});

test("a run that fails or prints nothing is a failure", () => {
	expect(readCounts(summary(" 12 pass", " 0 fail"), 134)).toEqual({ passed: 12, failed: 1, skipped: 0 });
	expect(readCounts("No tests found!", 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
});

test("the names of skipped tests are read", () => {
	expect(readSkipped("(pass) a [1ms]\n(skip) needs xmlsec1, which is missing\n(todo) later\n")).toEqual([
		"needs xmlsec1, which is missing",
		"later",
	]);
});

test("skips are counted by the reasons that their files give", () => {
	const output = [
		"test/a.test.ts:\nskipping tests: xmlsec1 needs xmlsec1\n(skip) one\n(pass) two [1ms]\n(skip) three",
		"test/b.test.ts:\nskipping tests: b needs c\nskipping tests: a needs d\n(skip) four",
		"test/c.test.ts:\n(skip) five\n(pass) six [1ms]",
	].join("\n\n");
	expect([...countSkipsByReason(output)]).toEqual([
		["xmlsec1 needs xmlsec1", 2],
		["a needs d; b needs c", 1],
		["no reason given", 1],
	]);
});

test("the number of files is read from the summary", () => {
	const run = (files: string) => ` 2 pass\n 0 fail\nRan 2 tests across ${files}. [1.00s]\n`;
	expect([run("303 files"), run("1 file"), "killed"].map(readFileCount)).toEqual([303, 1, 0]);
});
