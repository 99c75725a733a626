import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import {
	daysBetween,
	isIsoDate,
	isoToAuthorityDate,
	toAuthorityDate,
	toAuthorityDateTime,
	toLocalIsoDate,
} from "../../../src/platform/values";

const HOUR_MS = 3_600_000;

/** The oracle: the platform's own calendar in the fixed zone UTC-4. */
const wall = new Intl.DateTimeFormat("en-GB", {
	timeZone: "Etc/GMT+4",
	hourCycle: "h23",
	year: "numeric",
	month: "2-digit",
	day: "2-digit",
	hour: "2-digit",
	minute: "2-digit",
	second: "2-digit",
});

function expected(at: Date): [string, string, string] {
	const part = Object.fromEntries(wall.formatToParts(at).map(({ type, value }) => [type, value]));
	const date = `${part.day}-${part.month}-${part.year}`;
	return [date, `${date} ${part.hour}:${part.minute}:${part.second}`, `${part.year}-${part.month}-${part.day}`];
}

const printed = (at: Date) => [toAuthorityDate(at), toAuthorityDateTime(at), toLocalIsoDate(at)];

describe("the wall clock of the authority", () => {
	test("every hour of the days around a year's end is four hours behind UTC, in 24 hours", () => {
		for (let at = Date.parse("2026-12-30T00:00:00Z"); at < Date.parse("2027-01-03T00:00:00Z"); at += HOUR_MS) {
			expect(printed(new Date(at))).toEqual(expected(new Date(at)));
		}
	});

	test("the day changes at 04:00 UTC and not a second earlier", () => {
		expect(printed(new Date("2026-11-21T03:59:59.999Z"))).toEqual(["20-11-2026", "20-11-2026 23:59:59", "2026-11-20"]);
		expect(printed(new Date("2026-11-21T04:00:00.000Z"))).toEqual(["21-11-2026", "21-11-2026 00:00:00", "2026-11-21"]);
		expect(printed(new Date("2026-11-20T23:59:59Z"))).toEqual(["20-11-2026", "20-11-2026 19:59:59", "2026-11-20"]);
		expect(printed(new Date("2026-11-21T00:00:00Z"))).toEqual(["20-11-2026", "20-11-2026 20:00:00", "2026-11-20"]);
	});

	test("years and leap days end when they end there", () => {
		expect(toLocalIsoDate(new Date("2027-01-01T03:59:59Z"))).toBe("2026-12-31");
		expect(toLocalIsoDate(new Date("2027-01-01T04:00:00Z"))).toBe("2027-01-01");
		expect(toAuthorityDate(new Date("2028-03-01T03:59:59Z"))).toBe("29-02-2028");
		expect(toAuthorityDate(new Date("2027-03-01T03:59:59Z"))).toBe("28-02-2027");
	});

	test("any instant of two centuries is written as the calendar says", () => {
		const instants = fc.date({
			min: new Date("1971-01-01T00:00:00Z"),
			max: new Date("2199-12-31T00:00:00Z"),
			noInvalidDate: true,
		});
		fc.assert(fc.property(instants, (at) => expect(printed(at)).toEqual(expected(at))));
	});

	test("the machine's own time zone changes nothing", async () => {
		const instants = Array.from({ length: 48 }, (_, hour) =>
			new Date(Date.parse("2026-12-31T00:00:00Z") + hour * HOUR_MS - 1).toISOString(),
		);
		const zones = {
			UTC: 0,
			"America/Santo_Domingo": 240,
			"America/New_York": 240,
			"Pacific/Kiritimati": -840,
			"Asia/Kolkata": -330,
		};
		for (const [zone, minutes] of Object.entries(zones)) {
			const child = Bun.spawn([process.execPath, join(import.meta.dir, "print-wall-times.ts"), ...instants], {
				env: { ...process.env, TZ: zone },
			});
			const reported = JSON.parse(await new Response(child.stdout).text()) as { zoneMinutes: number; printed: unknown };
			expect({ zone, minutes: reported.zoneMinutes }).toEqual({ zone, minutes });
			expect(reported.printed).toEqual(instants.map((at) => expected(new Date(at))));
		}
	}, 120_000);
});

describe("dates of bodies", () => {
	test("a date must be a day of the calendar", () => {
		for (const text of ["2026-01-01", "2026-12-31", "2028-02-29", "2000-02-29", "1900-01-01", "2199-12-31"]) {
			expect([text, isIsoDate(text)]).toEqual([text, true]);
		}
		for (const text of [
			...["2026-02-29", "2100-02-29", "2026-04-31", "2026-13-01", "2026-00-10", "2026-01-00", "2026-01-32"],
			...["1899-12-31", "2200-01-01", "0000-01-01", "26-01-01", "2026-1-1", "20260101", "01-01-2026", "2026/01/01"],
			...["", " 2026-01-01", "2026-01-01\n", "2026-01-01T00:00:00Z", "+02026-01-01", "２０２６-01-01"],
		]) {
			expect([text, isIsoDate(text)]).toEqual([text, false]);
		}
	});

	test("exactly the days of the calendar count as dates, over four years", () => {
		const real = new Set<string>();
		for (let at = Date.UTC(2025, 0, 1); at < Date.UTC(2029, 0, 1); at += 24 * HOUR_MS) {
			real.add(new Date(at).toISOString().slice(0, 10));
		}
		const two = (n: number) => String(n).padStart(2, "0");
		for (let year = 2025; year < 2029; year++)
			for (let month = 0; month <= 13; month++)
				for (let day = 0; day <= 32; day++) {
					const text = `${year}-${two(month)}-${two(day)}`;
					expect([text, isIsoDate(text)]).toEqual([text, real.has(text)]);
				}
	});

	test("a date turns around for the authority", () => {
		expect(isoToAuthorityDate("2026-11-20")).toBe("20-11-2026");
	});

	test("days are counted across leap days and years, both ways", () => {
		expect(daysBetween("2026-11-20", "2026-11-20")).toBe(0);
		expect(daysBetween("2028-02-28", "2028-03-01")).toBe(2);
		expect(daysBetween("2026-12-31", "2027-01-01")).toBe(1);
		expect(daysBetween("2027-01-01", "2026-01-01")).toBe(-365);
	});
});
