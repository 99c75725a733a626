/**
 * Whether the clocks can be trusted before objects are removed after ten years. A clock that is wrong by years must remove nothing.
 *
 *   this machine's clock ─┐
 *   the database's clock ─┼─ within a day of each other, and ─ for seven days no reading was more than a day after the previous one
 *   newest archived time  ┘
 *
 * The first rule covers one wrong clock. The second covers both at once, as on a machine that runs everything: a leap restarts the seven days, and
 * during them certificates and tokens fail visibly. A clock set back keeps objects longer, never shorter. A service that was down for a day, or
 * archived nothing for a day, removes objects later, which does no harm.
 *
 * Gap: the specification names only the day on which retention ends.
 */

const DAY_MS = 86_400_000;
export const STEADY_DAYS = 7;

export type Reading = {
	readonly system: Date;
	readonly database: Date;
	/** Time of the newest decision or checkpoint; absent for an empty archive. */
	readonly newest: Date | undefined;
};

export type Steadiness = {
	/** Since when it has run without a leap. */
	readonly steadySince: Date;
	readonly seenAt: Date;
};

export function observe(before: Steadiness | undefined, now: Date): Steadiness {
	const isLeap = before === undefined || distance(before.seenAt, now) > DAY_MS || before.steadySince > now;
	return { steadySince: isLeap ? now : before.steadySince, seenAt: now };
}

/** Why the clocks are not trusted. */
export type Doubt = "clocks-disagree" | "archive-disagrees" | "not-steady";

/** Undefined if the clocks can be trusted. */
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

/** True if a time is past by every clock. */
export function isOver(until: Date, { system, database }: Pick<Reading, "system" | "database">): boolean {
	return until < system && until < database;
}

function distance(one: Date, other: Date): number {
	return Math.abs(one.getTime() - other.getTime());
}
