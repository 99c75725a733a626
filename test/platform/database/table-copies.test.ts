/** Copies of tables, as a backup takes them one after the other on one connection. */
import { expect, test } from "bun:test";
import { connect, copyOut } from "../../../src/platform/database";
import { openTestDatabase } from "../../support/database";

test("the next table is read after one whose rows came faster than they were read", async () => {
	await using stack = new AsyncDisposableStack();
	const database = await openTestDatabase();
	stack.defer(() => database.close());
	const sql = connect({ url: database.url, name: "test copies", connectionsMax: 1 });
	stack.defer(() => sql.end({ timeout: 0 }));
	await database.owner`create table copy_test (n int, text text)`;
	await database.owner`insert into copy_test select n, repeat('x', 20) from generate_series(1, 3000) n`;
	await database.owner`grant select on copy_test to public`;
	const counts = await sql.begin(async (tx) => {
		const counts: number[] = [];
		for (let round = 0; round < 3; round++) {
			let count = 0;
			for await (const row of copyOut(tx, { name: "copy_test", columns: ["n", "text"] })) {
				count += row.length > 0 ? 1 : 0;
				if (count % 10 === 0) await new Promise(setImmediate);
			}
			counts.push(count);
		}
		return counts;
	});
	expect(counts).toEqual([3000, 3000, 3000]);
});
