/** The breaker at the door: how the authority has answered lately, shared by all processes. */
import type { Sql, Tx } from "../database";

/** Counts a failure of the authority's services, or forgets them all after an answer; opens the breaker at the threshold. */
export async function recordReachability(
	sql: Sql,
	segment: string,
	reached: boolean,
	threshold: number,
	openSeconds: number,
): Promise<void> {
	if (reached) {
		await sql`update authority_breaker set failures = 0, open_until = null where segment = ${segment} and failures > 0`;
		return;
	}
	await sql`
		insert into authority_breaker (segment, failures) values (${segment}, 1)
		on conflict (segment) do update set failures = authority_breaker.failures + 1,
			open_until = case when authority_breaker.failures + 1 >= ${threshold} then now() + make_interval(secs => ${openSeconds}) end`;
}

export async function isBreakerOpen(sql: Sql, segment: string): Promise<boolean> {
	const [row] = await sql<{ open: boolean }[]>`
		select coalesce(open_until > now(), false) as open from authority_breaker where segment = ${segment}`;
	return row?.open ?? false;
}

/** The authority is known to be back: nobody is refused for what was before. */
export async function closeBreaker(tx: Tx, segment: string): Promise<void> {
	await tx`update authority_breaker set failures = 0, open_until = null where segment = ${segment}`;
}
