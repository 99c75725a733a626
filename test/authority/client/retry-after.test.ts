import { expect, test } from "bun:test";
import { readRetryAfter } from "../../../src/authority/client/retry-after";

const NOW_MS = Date.parse("2026-11-20T15:00:00Z");
const read = (status: number, retryAfter: string, date?: string) =>
	readRetryAfter(status, { "retry-after": retryAfter, ...(date === undefined ? {} : { date }) }, NOW_MS);

test("seconds and dates are understood, five minutes at most", () => {
	expect(read(503, "2")).toBe(2_000);
	expect(read(429, " 30 ")).toBe(30_000);
	expect(read(503, "86400")).toBe(300_000);
	expect(read(503, "9".repeat(400))).toBe(300_000);
	expect(read(503, "Fri, 20 Nov 2026 15:00:07 GMT")).toBe(7_000);
	expect(read(503, "Sat, 20 Nov 2027 15:00:00 GMT")).toBe(300_000);
});

test("a date is counted from the answer's own clock", () => {
	expect(read(503, "Fri, 20 Nov 2026 18:00:07 GMT", "Fri, 20 Nov 2026 18:00:00 GMT")).toBe(7_000);
});

test("what is over, makes no sense, or comes with another answer asks for nothing", () => {
	for (const text of ["0", "-1", "", "soon", "1.5e3s", "Fri, 20 Nov 2026 14:59:00 GMT"])
		expect(read(503, text)).toBeUndefined();
	for (const status of [200, 400, 401, 500, 502]) expect(read(status, "5")).toBeUndefined();
	expect(readRetryAfter(503, {}, NOW_MS)).toBeUndefined();
});
