import { expect, test } from "bun:test";
import fc from "fast-check";
import { findDoubt, isOver, observe, STEADY_DAYS, type Steadiness } from "../../../src/archive/retention";

const DAY = 86_400_000;
const BASE = Date.parse("2036-11-21T12:00:00Z");
const at = (ms: number) => new Date(BASE + ms);
const far = fc.integer({ min: DAY + 1, max: 50 * 365 * DAY });
const within = fc.integer({ min: -DAY / 2, max: DAY / 2 });
const steady: Steadiness = { steadySince: at(-30 * DAY), seenAt: at(0) };

test("agreeing clocks are trusted when the last leap is long enough ago", () => {
	fc.assert(
		fc.property(within, within, (system, newest) => {
			expect(findDoubt({ system: at(system), database: at(0), newest: at(newest) }, steady)).toBeUndefined();
		}),
	);
});

test("one clock that is wrong by more than a day stops every removal", () => {
	fc.assert(
		fc.property(far, fc.boolean(), fc.constantFrom("system", "database", "newest"), (distance, isAhead, wrong) => {
			const reading = { system: at(0), database: at(0), newest: at(0), [wrong]: at(isAhead ? distance : -distance) };
			expect(findDoubt(reading, { ...steady, seenAt: reading.database })).toBeDefined();
		}),
	);
});

test("an empty archive does not confirm the time", () => {
	expect(findDoubt({ system: at(0), database: at(0), newest: undefined }, steady)).toBe("archive-disagrees");
});

test("after a leap of both clocks nothing is removed for seven days", () => {
	fc.assert(
		fc.property(far, fc.integer({ min: 1, max: 48 }), (leap, looksADay) => {
			let steadiness = observe(steady, at(leap));
			for (let ms = 0; ms < STEADY_DAYS * DAY; ms += Math.floor(DAY / looksADay)) {
				const now = at(leap + ms);
				steadiness = observe(steadiness, now);
				expect(findDoubt({ system: now, database: now, newest: now }, steadiness)).toBe("not-steady");
			}
			const now = at(leap + STEADY_DAYS * DAY);
			expect(findDoubt({ system: now, database: now, newest: now }, observe(steadiness, now))).toBeUndefined();
		}),
		{ numRuns: 50 },
	);
});

test("the clock is steady for at most the time since its last leap", () => {
	const steps = fc.array(fc.integer({ min: -3 * DAY, max: 3 * DAY }), { maxLength: 60 });
	fc.assert(
		fc.property(steps, (all) => {
			let seen: Steadiness | undefined;
			let now = 0;
			let since = 0;
			for (const step of [0, ...all]) {
				now += step;
				if (seen === undefined || Math.abs(step) > DAY || now < since) since = now;
				seen = observe(seen, at(now));
				expect(seen).toEqual({ steadySince: at(since), seenAt: at(now) });
			}
		}),
	);
});

test("a time is over when it is past by both clocks", () => {
	fc.assert(
		fc.property(within, within, within, (until, system, database) => {
			const over = isOver(at(until), { system: at(system), database: at(database) });
			expect(over).toBe(until < Math.min(system, database));
		}),
	);
});
