/**
 * Whether this machine's clock and the database's agree. What both write is compared: leases, ages and pauses are the database's alone, but what is
 * dated here, and forgotten by its date, must not go by a clock that has leapt.
 */
import type { Clock } from "../values";
import type { Sql } from "./connect";

/** Units: seconds. */
const APART_MAX_SECONDS = 30;

/** Units: seconds by which the clocks are apart at least, as far as a question's own time lets anybody tell. */
export async function measureClocks(sql: Sql, clock: Clock): Promise<number> {
	const askedMs = clock.now().getTime();
	const [row] = await sql<{ ms: number }[]>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`;
	const heardMs = clock.now().getTime();
	const thereMs = row?.ms ?? askedMs;
	return Math.max(0, askedMs - thereMs, thereMs - heardMs) / 1000;
}

export async function doClocksAgree(sql: Sql, clock: Clock): Promise<boolean> {
	return (await measureClocks(sql, clock)) <= APART_MAX_SECONDS;
}
