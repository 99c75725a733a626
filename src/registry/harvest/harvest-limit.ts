/**
 * Limits how many distinct entries searches and name matches show a caller in a day (UTC), so that the registry is not copied page by page.
 *
 * A page counts in memory after it was found, and the next one is refused once the limit is reached: a day exceeds it by one page at most.
 * About every second a process merges what it has counted with the other processes, through the database. Until then each of them allows
 * what it knows, and while the database is away each goes on alone.
 */
import { isShared, PLAN_LIMITS, subjectIdOf, subjectOf } from "../../identity/rate-limits";
import { createSingleFlight, withTimeout } from "../../platform/concurrency";
import { retryOnFailure, type Sql } from "../../platform/database";
import type { Call, Principal } from "../../platform/operation";
import { msg, Problem } from "../../platform/problem";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import { createDistinctCount, type DistinctCount } from "./distinct-count";
import { deleteHarvestsBefore, mergeHarvests } from "./harvest-store";

/** What one caller has been shown today; valid until the caller is answered. */
export type Shown = {
	readonly isUsedUp: () => boolean;
	/** Counts an entry by its document key. */
	readonly add: (key: number) => void;
};

export type HarvestLimit = {
	/** Undefined without a limit. Throws: registry-harvest-limit. */
	readonly admit: (call: Call) => Shown | undefined;
	/** The same from memory: "refused" where `admit` throws, and behind a shared key, where the address is needed. */
	readonly admitAtOnce: (principal: Principal) => Shown | "refused" | undefined;
	/** Merges what was counted with other processes; also runs every second. */
	readonly share: () => Promise<void>;
	readonly close: () => Promise<void>;
};

type Held = { readonly count: DistinctCount; isChanged: boolean };

const SHARE_EVERY_MS = 1_000;
/** How long a shutdown waits for a database that does not answer. */
const LAST_SHARE_MS = 1_000;
const DAY_MS = 86_400_000;
/** Some 20 MB; the caller that came first goes first, and is read again with its next page. */
const HELD_MAX = 5_000;

type HarvestDeps = { readonly sql: Sql | undefined; readonly clock: Clock; readonly log: Log };

/** Without `sql` this process counts alone. */
export function openHarvestLimit({ sql, clock, log }: HarvestDeps): HarvestLimit {
	const held = new Map<string, Held>();
	const sharing = createSingleFlight<void>();
	let heldOn = 0;
	let isSharingFailing = false;

	const turnDay = (): number => {
		const day = Math.floor(clock.now().getTime() / DAY_MS);
		if (day !== heldOn) held.clear();
		heldOn = day;
		return day;
	};
	const hold = (subject: string): Held => {
		turnDay();
		const known = held.get(subject);
		if (known) return known;
		const made = { count: createDistinctCount(), isChanged: false };
		held.set(subject, made);
		const oldest = held.keys().next();
		if (held.size > HELD_MAX && !oldest.done) held.delete(oldest.value);
		return made;
	};
	const shownTo = (subject: string, maximum: number): Shown => {
		const one = hold(subject);
		return {
			isUsedUp: () => one.count.estimate() >= maximum,
			add: (key) => {
				if (one.count.add(key)) one.isChanged = true;
			},
		};
	};

	let clearedOn = 0;
	const share = async (): Promise<void> => {
		const day = turnDay();
		const changed = [...held].filter(([, { isChanged }]) => isChanged);
		if (!sql || changed.length === 0) return;
		for (const [, one] of changed) one.isChanged = false;
		try {
			const dayText = new Date(day * DAY_MS).toISOString().slice(0, 10);
			if (clearedOn !== day) await deleteHarvestsBefore(sql, dayText);
			clearedOn = day;
			const counted = new Map(changed.map(([subject, { count }]) => [subject, count.registers]));
			const merged = await retryOnFailure(() => mergeHarvests(sql, dayText, counted));
			for (const [subject, one] of changed) one.count.merge(merged.get(subject) ?? new Uint8Array());
			if (isSharingFailing) log.info({ event: "harvest.sharing_recovered" }, "entries shown are shared again");
			isSharingFailing = false;
		} catch (err) {
			for (const [, one] of changed) one.isChanged = true;
			if (!isSharingFailing)
				log.warn({ event: "harvest.sharing_failed", err }, "cannot share entries shown with other processes; retrying");
			isSharingFailing = true;
		}
	};
	const shareOnce = (): Promise<void> => sharing.run("", share);
	const timer = setInterval(shareOnce, SHARE_EVERY_MS);

	return {
		admit: (call) => {
			const { principal } = call;
			const maximum = principal && maximumOf(principal);
			if (!principal || maximum === null || maximum === undefined) return undefined;
			const shown = shownTo(subjectIdOf(call, "search"), maximum);
			if (shown.isUsedUp()) throw usedUp(principal, maximum, clock.now());
			return shown;
		},
		admitAtOnce: (principal) => {
			const maximum = maximumOf(principal);
			if (maximum === null) return undefined;
			if (isShared(principal)) return "refused";
			const shown = shownTo(subjectOf(principal, "search"), maximum);
			return shown.isUsedUp() ? "refused" : shown;
		},
		share: async () => {
			await sharing.current("");
			await shareOnce();
		},
		close: async () => {
			clearInterval(timer);
			await withTimeout(shareOnce(), LAST_SHARE_MS, () => undefined);
		},
	};
}

/** Null: no limit. A sandbox of one's own has none. */
function maximumOf({ environment, plan }: Principal): number | null {
	return environment === "sandbox" ? null : PLAN_LIMITS[plan].registry.distinctPerDay;
}

function usedUp({ plan }: Principal, maximum: number, now: Date): Problem {
	const retryAfter = Math.ceil((DAY_MS - (now.getTime() % DAY_MS)) / 1_000);
	return new Problem("registry-harvest-limit", {
		detail:
			plan === "demo"
				? msg`With the demo key, an address is shown about ${maximum} distinct entries in a day (UTC) by searches and name matches.`
				: msg`With the plan ${plan}, an owner is shown about ${maximum} distinct entries in a day (UTC) by searches and name matches.`,
		extensions: { maximum, retryAfter },
		headers: { "retry-after": String(retryAfter) },
	});
}
