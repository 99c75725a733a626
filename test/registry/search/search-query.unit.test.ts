import { expect, test } from "bun:test";
import fc from "fast-check";
import type { HitPosition } from "../../../src/registry/index/hit-position";
import type { SearchQuery } from "../../../src/registry/index/search";
import { openCursor, sealCursor } from "../../../src/registry/search/search-query";

const key = new Uint8Array(32).fill(1);
const query: SearchQuery = { field: "name", text: "FARO", limit: 25 };
const place: HitPosition = { hitClass: 2, active: true, length: 17, document: "990000001" };

test("every position round-trips through its cursor", () => {
	fc.assert(
		fc.property(
			fc.record({
				hitClass: fc.constantFrom(0, 1, 2),
				active: fc.boolean(),
				length: fc.nat(65_535),
				document: fc.stringMatching(/^[0-9]{9}([0-9]{2})?$/),
			}),
			(any) => {
				expect(openCursor(key, query, sealCursor(key, query, any))).toEqual(any);
			},
		),
	);
});

test("a cursor opens for its own query with any limit, and under its own key", () => {
	const cursor = sealCursor(key, query, place);
	expect(openCursor(key, { ...query, limit: 3 }, cursor)).toEqual(place);
	for (const other of [
		{ ...query, field: "trade_name" as const },
		{ ...query, text: "FAR" },
		{ ...query, kind: "rnc" as const },
		{ ...query, status: "ACTIVO" },
	]) {
		expect(openCursor(key, other, cursor)).toBeUndefined();
	}
	expect(openCursor(new Uint8Array(32), query, cursor)).toBeUndefined();
});

test("a changed or forged cursor does not open", () => {
	const cursor = sealCursor(key, query, place);
	const forged = `${Buffer.from("0-1-17-990000001").toString("base64url")}.${cursor.split(".")[1]}`;
	for (const text of ["", ".", "..", "x", forged, `${cursor}.x`, cursor.slice(0, -2), "AAAA.AAAA"]) {
		expect(openCursor(key, query, text)).toBeUndefined();
	}
	fc.assert(
		fc.property(fc.string({ maxLength: 60 }), (text) => {
			expect(openCursor(key, query, text)).toBeUndefined();
		}),
	);
});
