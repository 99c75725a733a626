import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { rotateKek } from "../../../src/app/maintenance/kek-rotation";
import { createEnvelope } from "../../../src/platform/secrets";
import { openTestDatabase } from "../../support/database";

test("a secret that is written late under the old key is re-encrypted too", async () => {
	const database = await openTestDatabase();
	try {
		const [from, to] = [randomBytes(32), randomBytes(32)];
		const sealed = createEnvelope(from).seal(Buffer.from("late"), "kept-key|late");
		let pauses = 0;
		const writeLate = async () => {
			if (pauses++ > 0) return;
			await database.sql`insert into kept_keys (name, sealed_key) values ('late', ${Buffer.from(sealed)})`;
		};
		const { rewrapped, unopened: faults } = await rotateKek(database.sql, { from, to }, writeLate);
		// After the round that found the late secret comes another pause, for even later ones.
		expect(pauses).toBe(2);
		expect([rewrapped["kept_keys.sealed_key"], faults]).toEqual([1, []]);
		const [row] = await database.sql<{ key: Buffer }[]>`select sealed_key as key from kept_keys`;
		expect(String(createEnvelope(to).open(row?.key ?? Buffer.alloc(0), "kept-key|late"))).toBe("late");
	} finally {
		await database.close();
	}
}, 120_000);
