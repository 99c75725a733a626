import { expect, test } from "bun:test";
import { firstIdAt, isId, newId } from "../../../src/platform/values";

test("identifiers are different UUIDs of version 7 in order of creation", () => {
	const ids = Array.from({ length: 10_000 }, newId);
	for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
	expect(new Set(ids).size).toBe(ids.length);
	expect(ids.toSorted()).toEqual(ids);
});

test("an identifier begins with the time at which it was made", () => {
	const before = Date.now();
	const milliseconds = Number.parseInt(newId().replace("-", "").slice(0, 12), 16);
	expect(milliseconds).toBeGreaterThanOrEqual(before);
	expect(milliseconds).toBeLessThanOrEqual(Date.now());
});

test("only canonical lower-case text can name a row", () => {
	const id = newId();
	expect(isId(id)).toBe(true);
	for (const text of [
		"",
		id.toUpperCase(),
		`{${id}}`,
		`${id}\n`,
		` ${id}`,
		id.replaceAll("-", ""),
		`${id}0`,
		"' or 1=1 --",
	]) {
		expect([text, isId(text)]).toEqual([text, false]);
	}
});

test("the first identifier of an instant separates earlier from later ones", () => {
	const before = newId();
	const now = new Date(Date.now() + 1_000);
	expect(firstIdAt(now) > before).toBe(true);
	expect(firstIdAt(new Date(Date.now() - 60_000)) < before).toBe(true);
	expect(firstIdAt(new Date(0))).toBe("00000000-0000-7000-8000-000000000000");
	expect(isId(firstIdAt(now))).toBe(true);
});
