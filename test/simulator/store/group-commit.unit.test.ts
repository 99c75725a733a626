import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { createGroupCommit } from "../../../src/simulator/store/open";

function openNumbers() {
	const database = new Database(":memory:");
	database.run("CREATE TABLE numbers (n INTEGER PRIMARY KEY)");
	const committed = createGroupCommit(database);
	return {
		take: (n: number) => committed(() => database.run("INSERT INTO numbers VALUES (?)", [n]).changes),
		list: () => database.query<{ n: number }, []>("SELECT n FROM numbers ORDER BY n").all(),
		isOpen: () => database.inTransaction,
	};
}

test("concurrent work shares a commit, and one that fails rolls back only its own", async () => {
	const numbers = openNumbers();
	const all = await Promise.allSettled([numbers.take(1), numbers.take(1), numbers.take(2)]);
	expect(all.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
	expect(numbers.list()).toEqual([{ n: 1 }, { n: 2 }]);
	expect(numbers.isOpen()).toBe(false);
});

test("a later work begins a commit of its own", async () => {
	const numbers = openNumbers();
	expect(await numbers.take(1)).toBe(1);
	expect(await numbers.take(2)).toBe(1);
	expect(numbers.list()).toHaveLength(2);
});
