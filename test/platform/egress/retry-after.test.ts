import { expect, test } from "bun:test";
import { parseRetryAfter } from "../../../src/platform/egress/retry-after";

const NOW_MS = Date.parse("2026-11-23T02:00:00Z");
const read = (header: string | undefined, date?: string) => parseRetryAfter(header, date, NOW_MS);

test("seconds are taken as they are", () => {
	expect([read("0"), read(" 120 "), read("999999999")]).toEqual([0, 120, 999_999_999]);
});

test("a date counts from the answer's own, and from this machine's clock where the answer has none", () => {
	const later = "Mon, 23 Nov 2026 03:00:00 GMT";
	expect(read(later)).toBe(3_600);
	expect(read(later, "Mon, 23 Nov 2026 02:59:30 GMT")).toBe(30);
	expect(read(later, "no date")).toBe(3_600);
	expect(read(later, "Mon, 23 Nov 2026 04:00:00 GMT")).toBe(0);
});

test("what is neither asks for nothing", () => {
	for (const text of [undefined, "", "-1", "1.5", "1e3", "0x10", "soon", "2026-11-23", "Mon, nonsense", "1234567890"])
		expect(read(text)).toBeUndefined();
});
