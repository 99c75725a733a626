import { expect, test } from "bun:test";
import { parseRetryAfter } from "../../../src/platform/concurrency";

const NOW_MS = Date.parse("2026-11-23T02:00:00Z");
const read = (header: string | undefined, date?: string) => parseRetryAfter(header, date, NOW_MS);

test("seconds become milliseconds", () => {
	expect([read("0"), read(" 120 "), read("999999999")]).toEqual([0, 120_000, 999_999_999_000]);
	expect(read("9".repeat(400))).toBe(Number.POSITIVE_INFINITY);
});

test("a date is compared with the Date header, or with this clock without one", () => {
	const later = "Mon, 23 Nov 2026 03:00:00 GMT";
	expect(read(later)).toBe(3_600_000);
	expect(read(later, "Mon, 23 Nov 2026 02:59:30 GMT")).toBe(30_000);
	expect(read(later, "no date")).toBe(3_600_000);
	expect(read(later, "Mon, 23 Nov 2026 04:00:00 GMT")).toBe(0);
});

test("a malformed header asks for nothing", () => {
	for (const text of [undefined, "", "-1", "1.5", "1e3", "0x10", "soon", "2026-11-23", "Mon, nonsense"])
		expect(read(text)).toBeUndefined();
});
