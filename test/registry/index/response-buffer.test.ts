import { expect, test } from "bun:test";
import { createResponseBuffer } from "../../../src/registry/index/entries";

test("a buffer gives as many bytes as are asked for, small ones and large ones in the same memory", () => {
	const buffer = createResponseBuffer(2_000);
	for (const size of [0, 1, 1_024, 1_025, 2_000]) {
		const taken = buffer.take(size);
		expect(taken.length).toBe(size);
		expect(taken.buffer).toBe(buffer.take(7).buffer);
	}
});

test("what is larger than the buffer has memory of its own", () => {
	const buffer = createResponseBuffer(2_000);
	const large = buffer.take(2_001);
	large.fill(1);
	expect(large.length).toBe(2_001);
	expect(buffer.take(2_000).every((byte) => byte === 0)).toBe(true);
});
