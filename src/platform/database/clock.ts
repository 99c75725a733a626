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
	const sentMs = clock.now().getTime();
	const [row] = await sql<{ ms: number }[]>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`;
	const receivedMs = clock.now().getTime();
	const thereMs = row?.ms ?? sentMs;
	return Math.max(0, sentMs - thereMs, thereMs - receivedMs) / 1000;
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
	let isReading = false;
	await withTimeout(look(), FIRST_ANSWER_MS, () => undefined);
	const timer = setInterval(() => void look(), everyMs);
	timer.unref();

	/** How far the database's time is ahead of this process's steady clock; the error is at most half the query's duration. */
	async function readClock(): Promise<{ readonly aheadMs: number; readonly tookMs: number }> {
		const sentMs = performance.now();
		const [row] = await sql<{ ms: number }[]>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`;
		const receivedMs = performance.now();
		if (!row) throw new Error("the database returned no time");
		return { aheadMs: row.ms - (sentMs + receivedMs) / 2, tookMs: receivedMs - sentMs };
	}

	async function look(): Promise<void> {
		// One query at a time.
		if (isReading) return;
		isReading = true;
		try {
			const reading = await readClock();
			if (Math.abs(reading.aheadMs - aheadMs) > reading.tookMs / 2 + NOISE_MS) aheadMs = reading.aheadMs;
		} catch {
			// The caller that needs the database reports the failure.
		} finally {
			isReading = false;
		}
	}

	return {
		now: () => new Date(aheadMs + performance.now()),
		stop: () => clearInterval(timer),
	};
}
