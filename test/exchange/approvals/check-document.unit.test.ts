/** Whether a decision on one document of a number covers another one. */
import { expect, test } from "bun:test";
import { coversDocument } from "../../../src/exchange/approvals/decide";

test("a decision covers another document of the number with the same day and total", () => {
	const word = { issueDate: "2026-11-20", total: "1180.00" };
	expect(coversDocument(word, { issueDate: "2026-11-20", grandTotal: "1180.0" })).toBe(true);
	expect(coversDocument(word, { issueDate: "2026-11-21", grandTotal: "1180.00" })).toBe(false);
	expect(coversDocument(word, { issueDate: "2026-11-20", grandTotal: "1180.01" })).toBe(false);
});
