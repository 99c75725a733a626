/**
 * Digests by which somebody finds out whether their books hold the same documents.
 *
 *   day      SHA-256 over a line for each of the day's documents by id: docId, a space, the e-CF's SHA-256 in hexadecimal, LF
 *   period   SHA-256 over a line for each day that has documents, in order: YYYY-MM-DD, a space, the day's digest, LF
 *
 * A change of a day takes its digest away in the same transaction. Whoever needs it works it out of the day's narrow rows and leaves it there,
 * unless the day has changed once more meanwhile. Days that are over get theirs by themselves, so only the present ones are read.
 *
 * Of one environment of the authority each, as reports are.
 *
 * Gap: the bytes that are digested, and that failed documents are among them, as they are among the counts.
 */
import { createHash } from "node:crypto";
import type { Sql } from "../../platform/database";
import { type Clock, toLocalIsoDate } from "../../platform/values";
import { computeDigest, findOpenDays, saveDigest } from "./store";

type DayDigest = { readonly day: string; readonly digest: Uint8Array };

/** Of a day whose documents have all been brought back to pending: it is as if it had none. */
const OF_NOTHING = createHash("sha256").digest();

/** Shape: `sha256:` and hexadecimal. */
export function digestPeriod(days: readonly DayDigest[]): string {
	const hash = createHash("sha256");
	for (const { day, digest } of days) {
		if (OF_NOTHING.equals(digest)) continue;
		hash.update(`${day} ${Buffer.from(digest).toString("hex")}\n`);
	}
	return `sha256:${hash.digest("hex")}`;
}

const DAYS_AT_A_TIME = 1_000;

/** Gives days that are over their digests, so that no report waits for them; answers how many. */
export async function digestOpenDays(sql: Sql, clock: Clock): Promise<number> {
	const days = await findOpenDays(sql, toLocalIsoDate(clock.now()), DAYS_AT_A_TIME);
	for (const { day, changes, ...books } of days) {
		await saveDigest(sql, books, { day, changes, digest: await computeDigest(sql, books, day) });
	}
	return days.length;
}
