import { expect, test } from "bun:test";
import { createResponseBuffer } from "../../../src/registry/index/entries";

test("a buffer returns as many bytes as requested from the same memory", () => {
	const buffer = createResponseBuffer(2_000);
	for (const size of [0, 1, 1_024, 1_025, 2_000]) {
		const taken = buffer.take(size);
		expect(taken.length).toBe(size);
		expect(taken.buffer).toBe(buffer.take(7).buffer);
	}
});

test("a request larger than the buffer gets memory of its own", () => {
	const buffer = createResponseBuffer(2_000);
	const large = buffer.take(2_001);
	large.fill(1);
	expect(large.length).toBe(2_001);
	expect(buffer.take(2_000).every((byte) => byte === 0)).toBe(true);
});
