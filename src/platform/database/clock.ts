/**
 * Whether this machine's clock and the database's agree. What both write is compared: leases, ages and pauses are the database's alone, but what is
 * dated here, and forgotten by its date, must not go by a clock that has leapt.
 */

import { withTimeout } from "../concurrency";
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

/**
 * The database's clock, followed from here: what several machines write on behalf of the same messages is dated by the one clock that their leases
 * go by, and a machine whose own clock leaps goes on as if nothing had happened.
 *
 *   now = what the database said last + what has passed since by a clock that nobody sets
 *
 * Asked again every second, because clocks run differently fast. An answer that took long tells little, and what it tells beside the road's time is
 * noise: only a difference beyond that is taken over, so that time does not tremble. While the database is away, time goes on from what it said last,
 * and before it has said anything from this machine's clock: whoever starts must not fail with a database that is just being started again.
 */

export type FollowedClock = Clock & { readonly stop: () => void };

const EVERY_MS = 1_000;
const NOISE_MS = 20;
const FIRST_ANSWER_MS = 3_000;

/** Resolves when the database has told its time, or has not for a while. Never rejects. */
export async function followClock(sql: Sql, everyMs = EVERY_MS): Promise<FollowedClock> {
	let aheadMs = Date.now() - performance.now();
	let isAsking = false;
	await withTimeout(look(), FIRST_ANSWER_MS, () => undefined);
	const timer = setInterval(() => void look(), everyMs);
	timer.unref();

	/** By how much the database's time is more than this process's age, give or take half of what the question took. */
	async function ask(): Promise<{ readonly aheadMs: number; readonly tookMs: number }> {
		const askedMs = performance.now();
		const [row] = await sql<{ ms: number }[]>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`;
		const heardMs = performance.now();
		if (!row) throw new Error("the database has told no time");
		return { aheadMs: row.ms - (askedMs + heardMs) / 2, tookMs: heardMs - askedMs };
	}

	async function look(): Promise<void> {
		// Without an answer to the last question there is none to the next one.
		if (isAsking) return;
		isAsking = true;
		try {
			const told = await ask();
			if (Math.abs(told.aheadMs - aheadMs) > told.tookMs / 2 + NOISE_MS) aheadMs = told.aheadMs;
		} catch {
			// Whoever needs the database hears it from there.
		} finally {
			isAsking = false;
		}
	}

	return {
		now: () => new Date(aheadMs + performance.now()),
		stop: () => clearInterval(timer),
	};
}
