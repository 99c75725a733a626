/**
 * Whether this machine's clock and the database's agree. Leases, ages and pauses use the database's clock alone, but what this machine
 * dates and later deletes by date must not follow a clock that jumps.
 */

import { withTimeout } from "../concurrency";
import type { Clock } from "../values";
import type { Sql } from "./connect";

/** Units: seconds. */
const APART_MAX_SECONDS = 30;

/** The least difference between the clocks, in seconds, after subtracting the duration of the query. */
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
 * The database's clock, followed by this process. Messages that several machines write for the same work are dated by the clock that their
 * leases use, and a machine whose own clock jumps is not affected.
 *
 *   now = the last time read from the database + what has passed since by a steady clock
 *
 * The clock is read every second, because clocks drift. A difference within the duration of the query is noise and is ignored. While the
 * database is away, time goes on from the last reading, and before the first reading from this machine's clock.
 */

export type FollowedClock = Clock & { readonly stop: () => void };

const EVERY_MS = 1_000;
const NOISE_MS = 20;
const FIRST_ANSWER_MS = 3_000;

/** Resolves after the first reading, or after a while without one. Never rejects. */
export async function followClock(sql: Sql, everyMs = EVERY_MS): Promise<FollowedClock> {
	let aheadMs = Date.now() - performance.now();
	let isAsking = false;
	await withTimeout(look(), FIRST_ANSWER_MS, () => undefined);
	const timer = setInterval(() => void look(), everyMs);
	timer.unref();

	/** How far the database's time is ahead of this process's steady clock; the error is at most half the query's duration. */
	async function ask(): Promise<{ readonly aheadMs: number; readonly tookMs: number }> {
		const askedMs = performance.now();
		const [row] = await sql<{ ms: number }[]>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`;
		const heardMs = performance.now();
		if (!row) throw new Error("the database has told no time");
		return { aheadMs: row.ms - (askedMs + heardMs) / 2, tookMs: heardMs - askedMs };
	}

	async function look(): Promise<void> {
		// One query at a time.
		if (isAsking) return;
		isAsking = true;
		try {
			const told = await ask();
			if (Math.abs(told.aheadMs - aheadMs) > told.tookMs / 2 + NOISE_MS) aheadMs = told.aheadMs;
		} catch {
			// The caller that needs the database reports the failure.
		} finally {
			isAsking = false;
		}
	}

	return {
		now: () => new Date(aheadMs + performance.now()),
		stop: () => clearInterval(timer),
	};
}
