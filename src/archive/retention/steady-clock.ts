/**
 * Whether the time can be believed by somebody who is about to remove what has been kept for ten years. A clock that is wrong by years must remove
 * nothing, whoever's it is.
 *
 *   this machine's clock ─┐
 *   the database's clock ─┼─ within a day of each other, and ─ for seven days no look at the clock was more than a day after the one before
 *   what was archived last┘
 *
 * The first rule meets one clock that is wrong, the second both at once, as on a machine that carries everything: a leap begins the seven days
 * again, and within them nothing works that knows certificates or tokens. A clock that is set back keeps objects longer, never shorter. A service that
 * was not looked at for a day, or archived nothing for one, removes later: ten years and a week are no harm.
 *
 * Gap: what the specification says of the end of retention is its day alone.
 */

const DAY_MS = 86_400_000;
export const STEADY_DAYS = 7;

/** What the clocks tell at one moment. */
export type Reading = {
	readonly system: Date;
	readonly database: Date;
	/** When the newest document was decided or the newest checkpoint made; absent while the archive is empty. */
	readonly newest: Date | undefined;
};

/** What looking at the database's clock again and again has told. */
export type Steadiness = {
	/** Since when it has gone on without a leap. */
	readonly steadySince: Date;
	readonly seenAt: Date;
};

/** Adds a look at the clock. */
export function observe(before: Steadiness | undefined, now: Date): Steadiness {
	const isLeap = before === undefined || distance(before.seenAt, now) > DAY_MS || before.steadySince > now;
	return { steadySince: isLeap ? now : before.steadySince, seenAt: now };
}

/** Why nothing may be removed now. */
export type Doubt = "clocks-disagree" | "archive-disagrees" | "not-steady";

/** Undefined when the time can be believed. */
export function findDoubt(
	{ system, database, newest }: Reading,
	{ steadySince, seenAt }: Steadiness,
): Doubt | undefined {
	if (distance(system, database) > DAY_MS || distance(seenAt, database) > DAY_MS) return "clocks-disagree";
	if (newest === undefined || distance(newest, system) > DAY_MS || distance(newest, database) > DAY_MS) {
		return "archive-disagrees";
	}
	return database.getTime() - steadySince.getTime() < STEADY_DAYS * DAY_MS ? "not-steady" : undefined;
}

/** True when a time is over by every clock. */
export function isOver(until: Date, { system, database }: Pick<Reading, "system" | "database">): boolean {
	return until < system && until < database;
}

function distance(one: Date, other: Date): number {
	return Math.abs(one.getTime() - other.getTime());
}
