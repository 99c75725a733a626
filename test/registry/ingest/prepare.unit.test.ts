import { expect, test } from "bun:test";
import { keyOf } from "../../../src/registry/index/document-key";
import { createAscendingCheck } from "../../../src/registry/ingest/prepare";
import { entries, snapshotOf } from "../build";

const numbers = ["990000001", "990000002", "990000003", "990000009"];

test("every number is checked if no file is known to be clear", () => {
	const asked: string[] = [];
	const isErased = createAscendingCheck((digits) => asked.push(digits) > 0 && digits === "990000002", undefined);
	expect(numbers.map((digits) => isErased(keyOf(digits)))).toEqual([false, true, false, false]);
	expect(asked).toEqual(numbers);
});

test("a number that a clear file holds is not checked, all others are", () => {
	const asked: string[] = [];
	const clear = snapshotOf(entries(5).filter(({ rnc }) => rnc !== "990000002"));
	const isErased = createAscendingCheck((digits) => asked.push(digits) > 0 && digits !== "990000009", clear);
	expect(numbers.map((digits) => isErased(keyOf(digits)))).toEqual([false, true, false, false]);
	expect(asked).toEqual(["990000002", "990000009"]);
});
