/** Work that waits for another transaction: it starts when that one has changed rows and continues when it has committed. */
import type { Sql, Tx } from "../../src/platform/database";
import { until } from "./until";

/** `marks` is part of the waiting statement; `owner` sees the sessions of all roles. */
export async function runBeside<Done>(
	owner: Sql,
	change: (tx: Tx) => Promise<unknown>,
	work: () => Promise<Done>,
	marks: string,
): Promise<Done> {
	let working: Promise<Done> | undefined;
	await owner.begin(async (tx) => {
		await change(tx);
		working = work();
		// Queried outside the transaction, which would see the same snapshot each time.
		await until(async () => {
			const waiting = await owner`
				select 1 from pg_stat_activity
				where wait_event_type = 'Lock' and strpos(query, ${marks}) > 0 and pid <> pg_backend_pid()`;
			return waiting.length > 0;
		});
	});
	if (!working) throw new Error("the work was not begun");
	return working;
}
