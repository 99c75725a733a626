import { expect, test } from "bun:test";
import { createRoom } from "../../../src/registry/index/entries";

test("a room gives as many bytes as are asked for, small ones and large ones in the same memory", () => {
	const room = createRoom(2_000);
	for (const size of [0, 1, 1_024, 1_025, 2_000]) {
		const taken = room.take(size);
		expect(taken.length).toBe(size);
		expect(taken.buffer).toBe(room.take(7).buffer);
	}
});

test("what is larger than the room has memory of its own", () => {
	const room = createRoom(2_000);
	const large = room.take(2_001);
	large.fill(1);
	expect(large.length).toBe(2_001);
	expect(room.take(2_000).every((byte) => byte === 0)).toBe(true);
});
