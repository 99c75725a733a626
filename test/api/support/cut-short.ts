/** Statements that wait for a lock and are cancelled, as by a time-out during a migration. */

import type { TestService } from "../../support/service";
import { until } from "../../support/until";

/**
 * The answer to a request that writes to a table while that is locked, and whose statement is cancelled once. `words` stand in that statement: what
 * dispatchers write meanwhile waits for the lock as well.
 */
export async function cutShort(
	service: TestService,
	{ table, words }: { readonly table: string; readonly words: string },
	send: () => Promise<Response>,
): Promise<Response> {
	const waiting = () => service.owner<{ pid: number }[]>`
		select l.pid from pg_locks l join pg_stat_activity a using (pid)
		where l.relation = ${table}::regclass and not l.granted and a.query like ${`%${words}%`}`;
	let answer: Promise<Response> | undefined;
	await service.owner.begin(async (tx) => {
		await tx`lock table ${tx(table)} in share mode`;
		let isOver = false;
		answer = send().finally(() => {
			isOver = true;
		});
		let pid = 0;
		await until(async () => {
			pid = (await waiting())[0]?.pid ?? 0;
			return pid !== 0;
		});
		await service.owner`select pg_cancel_backend(${pid})`;
		await until(async () => (await waiting()).every((one) => one.pid !== pid));
		// The lock is still held: another attempt would wait again.
		await until(async () => isOver || (await waiting()).length > 0);
		if (!isOver) throw new Error("what took all its time was tried once more");
	});
	if (!answer) throw new Error("nothing was sent");
	return answer;
}
